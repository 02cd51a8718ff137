public import GatehouseKit

/// Every provider that can sign someone in, fixed at start.
///
/// Built once from an explicit list and never changed, so look-ups need no lock. There is no way to add a provider later:
/// what may authenticate a visitor is decided, and reviewed, in one place.
public struct ProviderRegistry: Sendable {
    private let byKind: [CredentialKind: any CredentialProvider]
    private let byCollection: [String: any EnrollingProvider]

    /// In the order given, which is the order clients show them in.
    public let kinds: [CredentialKind]

    /// - Throws: ``RegistryError`` if two providers claim one kind or collection, or if there are none: a gateway that
    ///   can't sign anyone in is a configuration mistake.
    public init(_ providers: [any CredentialProvider]) throws(RegistryError) {
        guard !providers.isEmpty else { throw .empty }
        var byKind: [CredentialKind: any CredentialProvider] = [:]
        var byCollection: [String: any EnrollingProvider] = [:]
        for provider in providers {
            let kind = provider.kind
            guard byKind.updateValue(provider, forKey: kind) == nil else { throw .duplicate(kind) }
            guard let enrolling = provider as? any EnrollingProvider else { continue }
            let path = enrolling.collection.path
            guard byCollection.updateValue(enrolling, forKey: path) == nil else { throw .duplicateCollection(path) }
        }
        self.byKind = byKind
        self.byCollection = byCollection
        kinds = providers.map(\.kind)
    }

    /// Those that an account can be left with, and that change and step up what it may do.
    public var signInKinds: [CredentialKind] { kinds.filter { purpose(of: $0) == .signIn } }

    func purpose(of kind: CredentialKind) -> CredentialPurpose? { byKind[kind].map { type(of: $0).purpose } }

    public subscript(kind: CredentialKind) -> (any CredentialProvider)? { byKind[kind] }

    public subscript(collection path: String) -> (any EnrollingProvider)? { byCollection[path] }

    public var collections: [CredentialCollection] {
        kinds.compactMap { byKind[$0] as? any EnrollingProvider }.map(\.collection)
    }

    /// The provider whose credential an account can set to a secret.
    public var secretSetting: (any SecretSettingProvider)? {
        kinds.lazy.compactMap { byKind[$0] as? any SecretSettingProvider }.first
    }

    /// The provider that takes over what other systems stored.
    public var importing: (any ImportingProvider)? {
        kinds.lazy.compactMap { byKind[$0] as? any ImportingProvider }.first
    }

    /// Whether trying often enough would find the credential, so that failures must be counted by name.
    public func isGuessable(_ kind: CredentialKind) -> Bool { byKind[kind] is any SecretSettingProvider }

    public var signalling: (any SignallingProvider)? {
        kinds.lazy.compactMap { byKind[$0] as? any SignallingProvider }.first
    }
}

/// A provider list that can't be served.
public enum RegistryError: Error, Equatable {
    case empty
    case duplicate(CredentialKind)
    case duplicateCollection(String)
}
