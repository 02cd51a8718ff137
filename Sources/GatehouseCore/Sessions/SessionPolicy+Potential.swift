import GatehouseKit

extension SessionPolicy {
    /// Which kinds among these credentials could raise what is proved to a level, each with one more response.
    static func kinds(
        of credentials: [StoredCredential],
        raising proved: [SessionEvidence],
        to level: Assurance
    ) -> [CredentialKind] {
        credentials.filter { couldReach(level, with: $0, beside: proved) }
            .reduce(into: []) { if !$0.contains($1.kind) { $0.append($1.kind) } }
    }

    /// Whether one more response, of this credential, could give a level together with what is proved.
    static func couldReach(
        _ level: Assurance,
        with credential: StoredCredential,
        beside proved: [SessionEvidence]
    ) -> Bool {
        let factors = proved.reduce(into: bestFactors(of: credential)) { $0.formUnion($1.proof.factors) }
        return switch level {
        case .aal1: true
        case .aal2: assurance(of: factors) >= .aal2
        // Whether the key is an attested one shows when it is used.
        case .aal3: credential.kind == .passkey || credential.kind == .trustedDevice
        }
    }

    private static func bestFactors(of credential: StoredCredential) -> Proof.Factors {
        switch credential.kind {
        case .passkey: [.possession, .inherence]
        case .trustedDevice: credential.userVerified ? [.possession, .inherence] : .possession
        // What an issuer asked for isn't known.
        case let kind where kind == .apple || kind.isIssuer: []
        default: .knowledge
        }
    }
}
