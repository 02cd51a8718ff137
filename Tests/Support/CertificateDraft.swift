public import Crypto

/// A certificate to be issued, sound by default: that of an authenticator's attestation key.
public struct CertificateDraft: Sendable {
    public typealias Attribute = (type: OID, value: String)

    /// 0 for X.509 version 1.
    public var version: UInt8 = 2
    public var subject: [Attribute]
    public var key: SigningKey
    public var subjectPublicKeyInfo: [UInt8]
    public var notBefore = "20240101000000Z"
    public var notAfter = "20990101000000Z"
    public var extensions: [DERItem] = [.basicConstraints(isAuthority: false)]

    public init(of key: SigningKey, _ change: (inout CertificateDraft) -> Void = { _ in }) {
        self.key = key
        subjectPublicKeyInfo = key.subjectPublicKeyInfo
        subject = [
            (.countryName, "SE"), (.organizationName, "Maker"), (.organizationalUnitName, "Authenticator Attestation"),
            (.commonName, "Model"),
        ]
        change(&self)
    }

    /// The certificate, in DER.
    public func issued(by issuer: CertificateIssuer) -> [UInt8] {
        let algorithm = issuer.usesSHA1 ? DERItem.ecdsaWithSHA1 : issuer.key.algorithm.identifier
        var fields: [DERItem] = [
            .integer(7), algorithm, Self.name(issuer.name),
            .sequence(.time(notBefore), .time(notAfter)), Self.name(subject), .raw(subjectPublicKeyInfo),
        ]
        if version > 0 { fields.insert(.explicit(0, .integer(version)), at: 0) }
        if !extensions.isEmpty { fields.append(.explicit(3, .constructed(tag: 0x30, extensions))) }
        let signed = DERItem.constructed(tag: 0x30, fields)
        let signature = issuer.usesSHA1 ? issuer.key.signSHA1(signed.encoded) : issuer.key.sign(signed.encoded)
        return DERItem.sequence(signed, algorithm, .bits(signature)).encoded
    }

    static func name(_ attributes: [Attribute]) -> DERItem {
        .constructed(
            tag: 0x30,
            attributes.map { .set(.sequence(.name($0.type.encoded), .utf8($0.value))) }
        )
    }
}

/// A certification authority.
public struct CertificateIssuer: Sendable {
    public let name: [CertificateDraft.Attribute]
    public let key: SigningKey
    /// Whether it signs as nobody should any more; only with a P-256 key.
    public var usesSHA1 = false

    public init(_ name: String, key: SigningKey = SigningKey(.es256)) {
        self.name = [(.commonName, name)]
        self.key = key
    }

    /// A certificate for itself, by itself.
    public var root: [UInt8] { certificate(by: self) }

    /// A certificate for itself, by another.
    public func certificate(by issuer: CertificateIssuer) -> [UInt8] {
        CertificateDraft(of: key) {
            $0.subject = name
            $0.extensions = [.basicConstraints(isAuthority: true)]
        }.issued(by: issuer)
    }
}

extension DERItem {
    fileprivate static let ecdsaWithSHA1 = DERItem.sequence(.name(OID(stringLiteral: "1.2.840.10045.4.1").encoded))

    public static func `extension`(_ type: OID, isCritical: Bool = false, _ value: DERItem) -> DERItem {
        isCritical
            ? .sequence(.name(type.encoded), .boolean(true), .octets(value.encoded))
            : .sequence(.name(type.encoded), .octets(value.encoded))
    }

    public static func basicConstraints(isAuthority: Bool) -> DERItem {
        .extension(.basicConstraints, isCritical: true, isAuthority ? .sequence(.boolean(true)) : .sequence())
    }

    /// id-fido-gen-ce-aaguid, wrapped twice.
    public static func aaguid(_ aaguid: [UInt8], isCritical: Bool = false) -> DERItem {
        .extension("1.3.6.1.4.1.45724.1.1.4", isCritical: isCritical, .octets(aaguid))
    }
}

extension SigningKey.Algorithm {
    /// The AlgorithmIdentifier of its signatures.
    fileprivate var identifier: DERItem {
        switch self {
        case .es384, .esp384: .sequence(.name(OID(stringLiteral: "1.2.840.10045.4.3.3").encoded))
        case .es512, .esp512: .sequence(.name(OID(stringLiteral: "1.2.840.10045.4.3.4").encoded))
        case .edDSA, .ed25519: .sequence(.name(OID(stringLiteral: "1.3.101.112").encoded))
        case .ed448: .sequence(.name(OID(stringLiteral: "1.3.101.113").encoded))
        case .rs256, .ps256:
            .sequence(.name(OID(stringLiteral: "1.2.840.113549.1.1.11").encoded), .element(tag: 0x05, []))
        case .es256, .esp256, .es256K: .sequence(.name(OID(stringLiteral: "1.2.840.10045.4.3.2").encoded))
        }
    }
}
