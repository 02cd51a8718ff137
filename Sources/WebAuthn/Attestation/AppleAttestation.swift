import Crypto

/// "apple" (WebAuthn Level 3 §8.8, `#sctn-apple-anonymous-attestation`, editor's draft of 2026-07-30).
enum AppleAttestation {
    static func verify(
        _ members: StatementMembers,
        _ evidence: AttestationEvidence
    ) throws(AttestationFault) -> AttestationFinding {
        let chain = try members.certificates()
        guard let nonce = chain.leaf.fields.appleNonce else { throw .requirement(.nonce) }
        guard nonce == SHA256.hash(evidence.signedBytes) else { throw .nonceMismatch }
        guard chain.leaf.fields.key == evidence.key.material else { throw .keyMismatch }
        return AttestationFinding(.apple, .anonymizationCA, [chain])
    }
}
