import GatehouseCore
import GatehouseKit
import PasswordProvider
import WebAuthn
import Wire

/// Everything that can sign a visitor in, in the order clients show it.
///
/// Add a provider here, and nowhere else in the executable.
enum ProviderList {
    static let kinds: [CredentialKind] = [
        PasswordProvider.kind
    ]

    static var names: String { kinds.map(\.description).joined(separator: ", ") }

    /// The providers that the configuration enables.
    static func make(_ environment: ProviderEnvironment) throws(RegistryError) -> ProviderRegistry {
        let all: [any CredentialProvider] = [
            PasswordProvider(
                vault: environment.vault(PasswordProvider.kind),
                policy: environment.configuration.passwordPolicy,
                cost: environment.configuration.hashCost
            )
        ]
        return try ProviderRegistry(all.filter { environment.configuration.kinds.contains(type(of: $0).kind) })
    }
}

/// What the composition root hands to providers.
struct ProviderEnvironment {
    let configuration: Configuration
    let storage: any Storage
    /// 32 random bytes that survive restarts.
    let decoyKey: [UInt8]

    func vault(_ kind: CredentialKind) -> any CredentialVault { StorageVault(storage: storage, kind: kind) }

    var relyingParty: RelyingParty {
        let origins = [configuration.passkeyOrigin, configuration.publicOrigin] + configuration.relatedOrigins
        return RelyingParty(
            id: configuration.relyingPartyID,
            origins: origins.map(\.description)
        )
    }
}
