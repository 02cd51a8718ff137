import Crypto
import Wire

/// "tpm" (WebAuthn Level 3 §8.3, `#sctn-tpm-attestation`, editor's draft of 2026-07-30).
enum TPMAttestation {
    static func verify(
        _ members: StatementMembers,
        _ evidence: AttestationEvidence
    ) throws(AttestationFault) -> AttestationFinding {
        guard try members.text(.ver) == "2.0" else { throw .member(.ver) }
        guard let algorithm = signature(try members.algorithm()) else { throw .algorithm }
        let chain = try members.certificates()
        let encodedArea = try members.bytes(.pubArea)
        guard let area = TPMPublicArea(parsing: encodedArea) else { throw .tpm(.publicArea) }
        guard area.key == evidence.key.material else { throw .keyMismatch }
        try TPMCertificate.check(chain.leaf.fields)
        try evidence.checkAAGUID(in: chain.leaf)
        let encodedInfo = try members.bytes(.certInfo)
        try evidence.checkSignature(try members.bytes(.sig), over: encodedInfo, by: chain.leaf, algorithm)
        let info = try TPMCertifyInfo(parsing: encodedInfo)
        guard let hash = algorithm.hash, info.extraData == hash.hash(evidence.signedBytes) else { throw .nonceMismatch }
        guard info.name == area.name(of: encodedArea) else { throw .tpm(.name) }
        return AttestationFinding(.tpm, .attestationCA, [chain])
    }

    /// TPMs of old firmware sign with SHA-1, and Windows still has them certify with it.
    private static func signature(_ algorithm: COSEAlgorithm) -> SignatureAlgorithm? {
        algorithm == .rs1 ? .rsaPKCS1(.sha1) : algorithm.signature
    }
}

/// §8.3.1 (`#sctn-tpm-cert-requirements`).
enum TPMCertificate {
    /// The attributes of a TPM in the TCG EK Credential Profile §3.2.9: manufacturer, model and version.
    private static let manufacturer: OID = "2.23.133.2.1"
    private static let model: OID = "2.23.133.2.2"
    private static let version: OID = "2.23.133.2.3"
    /// tcg-kp-AIKCertificate.
    private static let attestationIdentity: OID = "2.23.133.8.3"

    static func check(_ fields: CertificateFields) throws(AttestationFault) {
        try fields.checkIsEndEntity()
        guard fields.subject.attributes.isEmpty else { throw .requirement(.subject) }
        let usages: [OID]
        do throws(WireFault) { usages = try fields.extendedKeyUsages } catch { throw .requirement(.keyUsage) }
        guard usages.contains(attestationIdentity) else { throw .requirement(.keyUsage) }
        try checkAlternativeName(fields)
    }

    /// Critical, as the subject is empty (RFC 5280 §4.2.1.6), with the three attributes in one directory name.
    private static func checkAlternativeName(_ fields: CertificateFields) throws(AttestationFault) {
        let names: [CertificateName]
        do throws(WireFault) {
            names = try fields.alternativeDirectoryNames
        } catch { throw .requirement(.alternativeName) }
        guard fields.firstExtension(.subjectAlternativeName)?.isCritical == true, let name = names.first,
            name.values(of: manufacturer).contains(where: { isManufacturer($0.content) }),
            !name.values(of: model).isEmpty, !name.values(of: version).isEmpty
        else { throw .requirement(.alternativeName) }
    }

    /// "id:" and the four bytes of the vendor in hexadecimal.
    private static func isManufacturer(_ text: [UInt8]) -> Bool {
        text.count == 11 && text.starts(with: Array("id:".utf8))
            && text.dropFirst(3).allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }
}
