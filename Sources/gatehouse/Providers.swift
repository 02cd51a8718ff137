import GatehouseCore
import GatehouseKit
import HTTPFront
import OpenIDConnectProvider
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
    /// The kinds that there always are; after them come the OpenID Connect issuers that the configuration names.
    static let kinds: [CredentialKind] = [
        .passkey,
        .password,
        .trustedDevice,
        .apple,
        .recoveryCode,
    ]

    /// Those of them that open a whole session.
    static let signInKinds = kinds.filter { $0 != .recoveryCode }

    /// The providers that the configuration enables.
    static func make(_ environment: ProviderEnvironment) throws(RegistryError) -> ProviderRegistry {
        let all: [any CredentialProvider] = [
            PasskeyProvider(
                relyingParty: environment.relyingParty,
                name: environment.configuration.name,
                vault: environment.vault(.passkey),
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
                vault: environment.vault(.password),
                policy: environment.configuration.passwordPolicy(environment.log),
                hasher: environment.configuration.hasher
            ),
            TrustedDeviceProvider(
                audience: environment.configuration.publicOrigin,
                vault: environment.vault(.trustedDevice),
                decoyKey: environment.decoyKey,
                policy: environment.configuration.devices.policy(environment.documents.androidStatus),
                clock: environment.clock
            ),
            RecoveryCodesProvider(
                vault: environment.vault(.recoveryCode),
                count: environment.configuration.recoveryCodeCount
            ),
        ]
        let issuers = environment.issuers.map { kept in
            OpenIDConnectProvider(
                kept.issuer,
                keys: kept.keys,
                vault: environment.vault(kept.issuer.kind),
                apple: kept.apple,
                page: kept.page,
                clock: environment.clock
            )
        }
        let isEnabled: (any CredentialProvider) -> Bool = { environment.configuration.kinds.contains($0.kind) }
        return try ProviderRegistry((all + issuers).filter(isEnabled), disabled: all.filter { !isEnabled($0) })
    }
}

/// What the composition root hands to providers.
struct ProviderEnvironment {
    let configuration: Configuration
    let storage: any Storage
    /// 32 random bytes that survive restarts.
    let decoyKey: [UInt8]
    let documents: Documents
    let issuers: [KeptIssuer]
    let clock: any Clock
    let log: Log

    func vault(_ kind: CredentialKind) -> any CredentialVault { StorageVault(storage: storage, kind: kind) }

    var relyingParty: RelyingParty {
        let android = configuration.apps.androidFingerprints.compactMap { AndroidOrigin(certificateFingerprint: $0) }
        return RelyingParty(
            id: configuration.relyingPartyID,
            origins: configuration.passkeyOrigins.map(\.description) + android.map(\.text),
            framing: configuration.passkeys.framing
        )
    }
}
