import Crypto
import Wire

/// "apple" (WebAuthn Level 3 §8.8, `#sctn-apple-anonymous-attestation`, editor's draft of 2026-07-30).
enum AppleAttestation {
    static func verify(
        _ members: StatementMembers,
        _ evidence: AttestationEvidence
    ) throws(AttestationFault) -> AttestationFinding {
        let chain = try members.certificates()
        guard let stated = chain.leaf.fields.firstExtension("1.2.840.113635.100.8.2"), let nonce = nonce(stated.value)
        else { throw .requirement(.nonce) }
        guard nonce == SHA256.hash(evidence.signedBytes) else { throw .nonceMismatch }
        guard chain.leaf.fields.key == evidence.key.material else { throw .keyMismatch }
        return AttestationFinding(.apple, .anonymizationCA, [chain])
    }

    /// Apple's extension: `SEQUENCE { [1] { OCTET STRING } }`.
    private static func nonce(_ value: [UInt8]) -> [UInt8]? {
        do throws(WireFault) {
            var outer = DERReader(try DERElement(parsing: value).content(of: .sequence))
            let tagged = try outer.next(.explicit(1))
            try outer.finish()
            return try DERElement(parsing: tagged.content).content(of: .octetString)
        } catch { return nil }
    }
}
