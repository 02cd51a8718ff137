import Wire

/// "compound" (WebAuthn Level 3 §8.9, `#sctn-compound-attestation`, editor's draft of 2026-07-30).
///
/// The specification leaves to policy how many parts have to verify. Here it is all of them: one that doesn't was made by
/// someone who had no reason to.
enum CompoundAttestation {
    private static let counts = 2...4

    static func verify(_ evidence: AttestationEvidence) throws(WebAuthnError) -> AttestationFinding {
        guard case .array(let parts) = evidence.statement.value, counts.contains(parts.count) else {
            throw .attestationUnsound(.compound)
        }
        let findings = try parts.map { (part) throws(WebAuthnError) in
            try evidence.replacing(statement(part)).verified()
        }
        let strongest = findings.first { !$0.trustPaths.isEmpty } ?? findings.first
        return AttestationFinding(
            .compound,
            strongest?.type ?? .none,
            findings.flatMap(\.trustPaths),
            coversAAGUID: findings.contains { $0.coversAAGUID && !$0.trustPaths.isEmpty }
        )
    }

    private static func statement(_ part: CBORValue) throws(WebAuthnError) -> AttestationStatement {
        guard let format = part.map?["fmt"]?.string, let value = part.map?["attStmt"],
            format != AttestationFormat.compound.rawValue
        else { throw .attestationUnsound(.compound) }
        return AttestationStatement(format: format, value: value)
    }
}
