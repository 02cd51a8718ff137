import Crypto
import Wire

/// "packed" (WebAuthn Level 3 §8.2, `#sctn-packed-attestation`, editor's draft of 2026-07-30).
enum PackedAttestation {
    static func verify(
        _ members: StatementMembers,
        _ evidence: AttestationEvidence
    ) throws(AttestationFault) -> AttestationFinding {
        // ECDAA of Level 1, which was withdrawn: what it proves would be left unchecked.
        guard !members.has(.ecdaaKeyId) else { throw .member(.ecdaaKeyId) }
        let algorithm = try members.algorithm()
        let signature = try members.bytes(.sig)
        guard members.has(.x5c) else { return try verifySelf(algorithm, signature, evidence) }
        let chain = try members.certificates()
        try evidence.checkSignature(signature, over: evidence.signedBytes, by: chain.leaf, algorithm.signature)
        try checkRequirements(chain.leaf.fields)
        try evidence.checkAAGUID(in: chain.leaf)
        return AttestationFinding(.packed, .basic, [chain])
    }

    private static func verifySelf(
        _ algorithm: COSEAlgorithm,
        _ signature: [UInt8],
        _ evidence: AttestationEvidence
    ) throws(AttestationFault) -> AttestationFinding {
        guard algorithm == evidence.key.algorithm else { throw .algorithm }
        guard evidence.key.publicKey.isValid(signature: signature, over: evidence.signedBytes) else {
            throw .signature
        }
        return AttestationFinding(.packed, .selfAttestation)
    }

    /// §8.2.1 (`#sctn-packed-attestation-cert-requirements`).
    ///
    /// The string types it names are not insisted on: vendors use either.
    private static func checkRequirements(_ fields: CertificateFields) throws(AttestationFault) {
        try fields.checkIsEndEntity()
        let country = fields.subject.values(of: .countryName)
        let unit = fields.subject.values(of: .organizationalUnitName)
        guard country.count == 1, country.allSatisfy({ $0.content.count == 2 }),
            !fields.subject.values(of: .organizationName).isEmpty,
            !fields.subject.values(of: .commonName).isEmpty,
            unit.contains(where: { $0.content == Array("Authenticator Attestation".utf8) })
        else { throw .requirement(.subject) }
    }
}
