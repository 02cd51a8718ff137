public import GatehouseKit

/// Every provider that can sign someone in, fixed at start.
///
/// Built once from an explicit list and never changed, so look-ups need no lock. There is no way to add a provider later:
/// what may authenticate a visitor is decided, and reviewed, in one place.
public struct ProviderRegistry: Sendable {
    private let byKind: [CredentialKind: any CredentialProvider]
    private let byCollection: [String: any EnrollingProvider]
    private let disabled: [any CredentialProvider]

    /// In the order given, which is the order clients show them in.
    public let kinds: [CredentialKind]

    /// - Parameter disabled: Those that are known and switched off, which is said to whoever asks for them.
    /// - Throws: ``RegistryError`` if two providers claim one kind or collection, or if there are none: a gateway that
    ///   can't sign anyone in is a configuration mistake.
    public init(
        _ providers: [any CredentialProvider],
        disabled: [any CredentialProvider] = []
    ) throws(RegistryError) {
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
        self.disabled = disabled
        kinds = providers.map(\.kind)
    }

    /// Those that an account can be left with, and that change and step up what it may do.
    public var signInKinds: [CredentialKind] { kinds.filter { purpose(of: $0) == .signIn } }

    func purpose(of kind: CredentialKind) -> CredentialPurpose? { byKind[kind].map { type(of: $0).purpose } }

    public subscript(kind: CredentialKind) -> (any CredentialProvider)? { byKind[kind] }

    public subscript(collection path: String) -> (any EnrollingProvider)? { byCollection[path] }

    /// With those of the kinds that are switched off.
    public var collections: [CredentialCollection] {
        (kinds.compactMap { byKind[$0] } + disabled).compactMap { $0 as? any EnrollingProvider }.map(\.collection)
    }

    /// Whether clients of a collection may ask if what they hold is known.
    public func isValidating(_ collection: CredentialCollection) -> Bool {
        (kinds.compactMap { byKind[$0] } + disabled)
            .contains { ($0 as? any ValidatingProvider)?.collection.path == collection.path }
    }

    /// - Throws: ``Refusal`` with `kind_disabled` or `not_found`.
    public func provider(of collection: String) throws(Refusal) -> any EnrollingProvider {
        if let provider = byCollection[collection] { return provider }
        let isDisabled = disabled.contains {
            ($0 as? any EnrollingProvider)?.collection.path == collection
        }
        throw isDisabled ? Self.switchedOff : Refusal(.notFound, "no such collection")
    }

    /// - Throws: ``Refusal`` with `kind_disabled` for a kind that is known and switched off, else with another code.
    func provider(of kind: CredentialKind, else code: ProblemCode) throws(Refusal) -> any CredentialProvider {
        if let provider = byKind[kind] { return provider }
        throw isDisabled(kind) ? Self.switchedOff : Refusal(code, "no provider for this kind")
    }

    private static let switchedOff = Refusal(.kindDisabled, "the kind is switched off")

    private func isDisabled(_ kind: CredentialKind) -> Bool { disabled.contains { $0.kind == kind } }

    /// Whether a credential can sign its account in, and not only let its owner enrol another.
    func isUsable(_ credential: StoredCredential) -> Bool {
        guard let provider = byKind[credential.kind], type(of: provider).purpose == .signIn else { return false }
        return provider.canSignIn(with: credential.record)
    }

    /// Whether a credential can let its owner back in who lost all others.
    func isWayBack(_ credential: StoredCredential) -> Bool {
        guard let provider = byKind[credential.kind], type(of: provider).purpose == .recovery else { return false }
        return provider.canSignIn(with: credential.record)
    }

    /// Whether a credential is still there when the device is lost that it is used on.
    func outlivesDevice(_ credential: StoredCredential) -> Bool {
        byKind[credential.kind]?.outlivesDevice(credential.record) ?? false
    }

    func held(_ credentials: [StoredCredential]) -> HeldCredentials {
        HeldCredentials(credentials, usable: credentials.filter(isUsable))
    }

    /// The provider whose credential an account can set to a secret.
    public var secretSetting: (any SecretSettingProvider)? {
        kinds.lazy.compactMap { byKind[$0] as? any SecretSettingProvider }.first
    }

    /// The provider whose credential fits into a request's header.
    public var basicScheme: (any BasicSchemeProvider)? {
        kinds.lazy.compactMap { byKind[$0] as? any BasicSchemeProvider }.first
    }

    /// The provider that takes over what other systems stored.
    public var importing: (any ImportingProvider)? {
        kinds.lazy.compactMap { byKind[$0] as? any ImportingProvider }.first
    }

    func isGuessable(_ kind: CredentialKind) -> Bool { byKind[kind]?.isGuessable ?? false }

    /// The provider whose credentials belong to an installation of an app.
    var installationBound: (any InstallationBoundProvider)? {
        kinds.lazy.compactMap { byKind[$0] as? any InstallationBoundProvider }.first
    }

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
