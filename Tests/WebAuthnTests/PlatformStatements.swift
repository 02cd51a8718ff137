import Crypto
import GatehouseTesting
import WebAuthn
import Wire

/// What a TPM says of a P-256 key, sound by default.
struct TPMDraft: Sendable {
    var version = "2.0"
    var algorithm: SigningKey.Algorithm = .es256
    var magic: [UInt8] = [0xFF, 0x54, 0x43, 0x47]
    var type: [UInt8] = [0x80, 0x17]
    var nameAlgorithm: UInt8 = 0x0B
    /// Changes to the structures before the next thing is made of them.
    var publicArea: @Sendable (inout [UInt8]) -> Void = { _ in }
    var extraData: @Sendable (inout [UInt8]) -> Void = { _ in }
    var name: @Sendable (inout [UInt8]) -> Void = { _ in }
    var certifyInfo: @Sendable (inout [UInt8]) -> Void = { _ in }

    private static func buffer(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }

    func statement(
        _ draft: AttestationDraft,
        by attester: SigningKey,
        _ leaf: [UInt8]
    ) -> AttestationDraft.Statement {
        let point = draft.key.publicBytes.dropFirst()
        // ECC, nameAlg, attributes, no policy; no symmetric algorithm, no scheme, P-256, no KDF; x and y.
        var area: [UInt8] = [0x00, 0x23, 0x00, nameAlgorithm, 0, 6, 4, 0x72, 0, 0, 0, 0x10, 0, 0x10, 0, 3, 0, 0x10]
        area += Self.buffer(Array(point.prefix(32))) + Self.buffer(Array(point.suffix(32)))
        publicArea(&area)
        var extra = SHA256.hash(draft.signedBytes)
        extraData(&extra)
        var named = [0x00, nameAlgorithm] + SHA256.hash(area)
        name(&named)
        var info = magic + type + Self.buffer([]) + Self.buffer(extra) + [UInt8](repeating: 0, count: 25)
        info += Self.buffer(named) + Self.buffer([])
        certifyInfo(&info)
        let members: [(key: CBORItem, value: CBORItem)] = [
            (.text("ver"), .text(version)), (.text("alg"), .int(algorithm.rawValue)),
            (.text("x5c"), .array([.bytes(leaf)])), (.text("sig"), .bytes(attester.sign(info))),
            (.text("certInfo"), .bytes(info)), (.text("pubArea"), .bytes(area)),
        ]
        return ("tpm", .map(members))
    }
}

extension CertificateDraft {
    /// The alternative name of a TPM: manufacturer, model and version.
    static func tpmName(_ manufacturer: String? = "id:00000000", isCritical: Bool = true) -> DERItem {
        var attributes: [DERItem] = [
            .set(.sequence(.name(OID(stringLiteral: "2.23.133.2.2").encoded), .utf8("model"))),
            .set(.sequence(.name(OID(stringLiteral: "2.23.133.2.3").encoded), .utf8("id:01"))),
        ]
        if let manufacturer {
            attributes.append(.set(.sequence(.name(OID(stringLiteral: "2.23.133.2.1").encoded), .utf8(manufacturer))))
        }
        let name = DERItem.sequence(.explicit(4, .constructed(tag: 0x30, attributes)))
        return .extension(.subjectAlternativeName, isCritical: isCritical, name)
    }

    static let tpmUsage = DERItem.extension(
        .extendedKeyUsage,
        .sequence(.name(OID(stringLiteral: "2.23.133.8.3").encoded))
    )

    /// That of a TPM's attestation identity key.
    mutating func becomeTPM() {
        subject = []
        extensions = [.basicConstraints(isAuthority: false), Self.tpmName(), Self.tpmUsage]
    }
}

/// What Android says of a key, sound by default.
struct AndroidKeyDraft: Sendable {
    var challenge: @Sendable (inout [UInt8]) -> Void = { _ in }
    var software: [DERItem] = []
    /// The purpose of signing, and the origin of keys that were generated.
    var hardware: [DERItem] = [Self.purpose(2), Self.origin(0)]

    static func purpose(_ number: UInt8) -> DERItem { .explicit(1, .set(.integer(number))) }
    static func origin(_ number: UInt8) -> DERItem { .raw([0xBF, 0x85, 0x3E, 3, 2, 1, number]) }
    static let allApplications = DERItem.raw([0xBF, 0x84, 0x58, 2, 5, 0])

    func statement(
        _ draft: AttestationDraft,
        by issuer: CertificateIssuer,
        for key: SigningKey? = nil
    ) -> AttestationDraft.Statement {
        var challenge = draft.clientDataHash
        self.challenge(&challenge)
        let level = DERItem.element(tag: 0x0A, [1])
        let description = DERItem.sequence(
            .integer(3),
            level,
            .integer(4),
            level,
            .octets(challenge),
            .octets([]),
            .constructed(tag: 0x30, software),
            .constructed(tag: 0x30, hardware)
        )
        let leaf = CertificateDraft(of: key ?? draft.key) {
            $0.extensions = [.extension("1.3.6.1.4.1.11129.2.1.17", description)]
        }.issued(by: issuer)
        var statement = draft.packed(by: key ?? draft.key, [leaf])
        statement.format = "android-key"
        return statement
    }
}

extension AttestationDraft {
    /// "apple" with a certificate for a key over a nonce.
    func apple(
        by issuer: CertificateIssuer,
        for key: SigningKey? = nil,
        nonce change: (inout [UInt8]) -> Void = { _ in }
    ) -> Statement {
        var nonce = SHA256.hash(signedBytes)
        change(&nonce)
        let leaf = CertificateDraft(of: key ?? self.key) {
            let value = DERItem.sequence(.explicit(1, .octets(nonce)))
            $0.extensions.append(.extension("1.2.840.113635.100.8.2", value))
        }.issued(by: issuer)
        return ("apple", .map([(.text("x5c"), .array([.bytes(leaf)]))]))
    }
}
