import GatehouseKit
public import WebAuthn

/// Which authenticators may register a passkey.
public struct AuthenticatorRule: Sendable {
    /// What is asked of attestation statements; it takes another prompt in most browsers.
    public let attestation: AttestationPolicy
    /// Whether synced passkeys are refused.
    public let deviceBoundOnly: Bool

    public init(attestation: AttestationPolicy = .notWanted, deviceBoundOnly: Bool = false) {
        self.attestation = attestation
        self.deviceBoundOnly = deviceBoundOnly
    }

    var conveyance: AttestationConveyance {
        switch attestation {
        case .notWanted: .none
        case .wanted, .required: .direct
        }
    }
}

/// The rules of a gateway: one for all, and others for the accounts of some groups.
public struct AuthenticatorRules: Sendable {
    private let common: AuthenticatorRule
    private let groups: [(name: String, rule: AuthenticatorRule)]

    /// - Parameter groups: The first one that an account is in decides.
    public init(
        _ common: AuthenticatorRule = AuthenticatorRule(),
        groups: [(name: String, rule: AuthenticatorRule)] = []
    ) {
        self.common = common
        self.groups = groups
    }

    func rule(for account: AccountReference) -> AuthenticatorRule {
        groups.first { account.groups.contains($0.name) }?.rule ?? common
    }
}
