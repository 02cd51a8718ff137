import GatehouseCore
import GatehouseKit
import HTTPFront
import PasskeyProvider
import PasswordProvider
import RecoveryCodesProvider
import TrustedDeviceProvider
import WebAuthn
import Wire

/// Everything that can sign a visitor in, in the order clients show it.
///
/// Add a provider here, and nowhere else in the executable.
enum ProviderList {
    private static let types: [any CredentialProvider.Type] = [
        PasskeyProvider.self,
        PasswordProvider.self,
        TrustedDeviceProvider.self,
        RecoveryCodesProvider.self,
    ]

    static let kinds = types.map { $0.kind }

    /// Those that open a whole session, so that rules and lifetimes can be about them.
    static let signInKinds = types.filter { $0.purpose == .signIn }.map { $0.kind }

    /// The providers that the configuration enables.
    static func make(_ environment: ProviderEnvironment) throws(RegistryError) -> ProviderRegistry {
        let all: [any CredentialProvider] = [
            PasskeyProvider(
                relyingParty: environment.relyingParty,
                name: environment.configuration.name,
                vault: environment.vault(PasskeyProvider.kind),
                decoyKey: environment.decoyKey,
                policy: PasskeyPolicy(
                    userVerification: environment.configuration.userVerificationRequired ? .required : .preferred,
                    authenticatorAttachment: environment.configuration.passkeys.attachment,
                    algorithms: environment.configuration.passkeys.algorithms,
                    hints: environment.configuration.passkeys.hints,
                    authenticators: environment.configuration.attestation.rules(
                        environment.documents.metadata?.metadata
                    ),
                    metadata: environment.documents.metadata?.metadata,
                    counterRegression: environment.configuration.passkeys.counterRegression,
                    backupEligibilityChange: environment.configuration.passkeys.backupEligibilityChange
                )
            ),
            PasswordProvider(
                vault: environment.vault(PasswordProvider.kind),
                policy: environment.configuration.passwordPolicy(environment.log),
                hasher: environment.configuration.hasher
            ),
            TrustedDeviceProvider(
                audience: environment.configuration.publicOrigin,
                vault: environment.vault(TrustedDeviceProvider.kind),
                decoyKey: environment.decoyKey,
                policy: environment.configuration.devices.policy(environment.documents.androidStatus),
                clock: environment.clock
            ),
            RecoveryCodesProvider(
                vault: environment.vault(RecoveryCodesProvider.kind),
                count: environment.configuration.recoveryCodeCount
            ),
        ]
        let isEnabled: (any CredentialProvider) -> Bool = {
            environment.configuration.kinds.contains(type(of: $0).kind)
        }
        return try ProviderRegistry(all.filter(isEnabled), disabled: all.filter { !isEnabled($0) })
    }
}

/// What the composition root hands to providers.
struct ProviderEnvironment {
    let configuration: Configuration
    let storage: any Storage
    /// 32 random bytes that survive restarts.
    let decoyKey: [UInt8]
    let documents: Documents
    let clock: any Clock
    let log: Log

    func vault(_ kind: CredentialKind) -> any CredentialVault { StorageVault(storage: storage, kind: kind) }

    var relyingParty: RelyingParty {
        let origins = [configuration.publicOrigin] + configuration.relatedOrigins
        let android = configuration.apps.androidFingerprints.compactMap { AndroidOrigin(certificateFingerprint: $0) }
        return RelyingParty(
            id: configuration.relyingPartyID,
            origins: origins.map(\.description) + android.map(\.text),
            framing: configuration.passkeys.framing
        )
    }
}
