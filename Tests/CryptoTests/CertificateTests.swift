import Crypto
import GatehouseTesting
import Testing
import Wire

struct CertificateTests {
    private static let issuer = CertificateIssuer("Root")
    private static let key = SigningKey(.es256)
    private static let der = CertificateDraft(of: key).issued(by: issuer)
    private static let time: Int64 = 1_785_369_600

    @Test func `the fields are read`() throws {
        let fields = try Certificate(der: Self.der).fields
        #expect(fields.version == 3 && fields.extensions.count == 1)
        #expect(try fields.isAuthority == false)
        #expect(fields.subject.values(of: .countryName).map(\.content) == [Array("SE".utf8)])
        #expect(fields.issuer.values(of: .commonName).map(\.content) == [Array("Root".utf8)])
        let point = Self.key.publicBytes
        #expect(fields.key == .elliptic(.p256, x: Array(point[1...32]), y: Array(point[33...])))
    }

    @Test func `a certificate with bytes after it is refused`() {
        #expect(throws: CertificateFault.self) { try Certificate(der: Self.der + [0]) }
    }

    @Test func `every prefix is refused`() {
        for prefix in Self.der.truncations {
            #expect(throws: CertificateFault.self) { try Certificate(der: prefix) }
        }
    }

    @Test func `a bit turned leads nowhere, or is no certificate`() throws {
        let anchors = TrustAnchors([try Certificate(der: Self.issuer.root)])
        try CertificateChain([Self.der]).validate(to: anchors, at: Self.time)
        for changed in Self.der.bitFlips {
            #expect(throws: CertificateChainFault.self) {
                try CertificateChain([changed]).validate(to: anchors, at: Self.time)
            }
        }
    }

    @Test func `no anchors trust nothing`() throws {
        #expect(throws: CertificateChainFault.untrusted) {
            try CertificateChain([Self.issuer.root]).validate(to: TrustAnchors([]), at: Self.time)
        }
    }

    @Test func `a certificate that is signed over SHA-1 leads nowhere, except as an anchor`() throws {
        var issuer = Self.issuer
        let anchors = TrustAnchors([try Certificate(der: issuer.root)])
        issuer.usesSHA1 = true
        let chain = try CertificateChain([CertificateDraft(of: Self.key).issued(by: issuer)])
        #expect(throws: CertificateChainFault.untrusted) { try chain.validate(to: anchors, at: Self.time) }
        let outdated = TrustAnchors([try Certificate(der: issuer.root)])
        try CertificateChain([Self.der]).validate(to: outdated, at: Self.time)
    }

    @Test(arguments: [.es256, .es384, .es512, .es256K, .edDSA, .ed448, .rs256] as [SigningKey.Algorithm])
    func `keys of every kind are read, and issue certificates`(algorithm: SigningKey.Algorithm) throws {
        let key = SigningKey(algorithm)
        let root = CertificateIssuer("Root of its own", key: key)
        let certificate = try Certificate(der: root.root)
        let anchors = TrustAnchors([certificate])
        try CertificateChain([CertificateDraft(of: Self.key).issued(by: root)]).validate(to: anchors, at: Self.time)
    }

    @Test func `a key verifies with its algorithm and with no other`() throws {
        let certificate = try Certificate(der: Self.der)
        let message = Array("message".utf8)
        let key = try certificate.publicKey(for: .ecdsa(.p256, .sha256))
        #expect(key.isValid(signature: Self.key.sign(message), over: message))
        for algorithm in [.ecdsa(.p384, .sha384), .ed25519, .rsaPKCS1(.sha256)] as [SignatureAlgorithm] {
            #expect(throws: CertificateFault.unsupportedKey) { try certificate.publicKey(for: algorithm) }
        }
    }

    @Test func `a point that is not on its curve is a fault of the key`() throws {
        var draft = CertificateDraft(of: Self.key)
        draft.subjectPublicKeyInfo[draft.subjectPublicKeyInfo.count - 1] ^= 1
        let der = draft.issued(by: Self.issuer)
        #expect(throws: CertificateFault.self) {
            try Certificate(der: der).publicKey(for: .ecdsa(.p256, .sha256))
        }
    }
}

struct PEMTests {
    private static let text = """
        Made for a test.
        -----BEGIN CERTIFICATE-----
        AQID
        BAU=
        -----END CERTIFICATE-----
        -----BEGIN CERTIFICATE-----
        /+8=
        -----END CERTIFICATE-----
        """

    @Test func `the certificates of a text are read, whatever stands around them`() {
        #expect(PEM.certificates(in: Self.text) == [[1, 2, 3, 4, 5], [0xFF, 0xEF]])
        #expect(PEM.certificates(in: Self.text.replacing("\n", with: "\r\n")) == [[1, 2, 3, 4, 5], [0xFF, 0xEF]])
        #expect(PEM.certificates(in: "none") == [])
    }

    @Test(arguments: [
        "AQID\n", "-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nA*==\n-----END CERTIFICATE-----",
    ])
    func `a certificate without an end, and one that is not base64, spoil the whole`(rest: String) {
        #expect(PEM.certificates(in: "-----BEGIN CERTIFICATE-----\nAQID\n" + rest) == nil)
    }
}
