import Crypto

/// "fido-u2f" (WebAuthn Level 3 §8.6, `#sctn-fido-u2f-attestation`, editor's draft of 2026-07-30).
enum U2FAttestation {
    static func verify(
        _ members: StatementMembers,
        _ evidence: AttestationEvidence
    ) throws(AttestationFault) -> AttestationFinding {
        let signature = try members.bytes(.sig)
        let chain = try members.certificates()
        guard chain.others.isEmpty else { throw .requirement(.count) }
        guard case .elliptic(.p256, _, _) = chain.leaf.fields.key else { throw .requirement(.curve) }
        guard case .elliptic(.p256, let x, let y) = evidence.key.material else { throw .keyMismatch }
        let signed =
            [0x00] + evidence.data.relyingPartyIDHash + evidence.clientDataHash + evidence.credential.credentialID
            + [0x04] + x + y
        try evidence.checkSignature(signature, over: signed, by: chain.leaf, .ecdsa(.p256, .sha256))
        // The signature doesn't cover the AAGUID, and authenticators of this kind have none.
        return AttestationFinding(.fidoU2F, .basic, [chain], coversAAGUID: false)
    }
}
