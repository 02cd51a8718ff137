import Crypto
import GatehouseTesting
import Testing

struct SignatureAlgorithmTests {
    private static let message = Array("message".utf8)

    private static func elliptic(_ curve: EllipticCurve, _ key: SigningKey) -> KeyMaterial {
        let point = key.publicBytes.dropFirst()
        return .elliptic(
            curve,
            x: Array(point.prefix(curve.coordinateSize)),
            y: Array(point.suffix(curve.coordinateSize))
        )
    }

    static let curves: [(SigningKey.Algorithm, EllipticCurve, HashFunction)] = [
        (.es256, .p256, .sha256), (.es384, .p384, .sha384), (.es512, .p521, .sha512), (.es256K, .secp256k1, .sha256),
    ]

    @Test(arguments: curves)
    func `a hundred signatures of each curve verify`(
        algorithm: SigningKey.Algorithm,
        curve: EllipticCurve,
        hash: HashFunction
    ) throws {
        let signer = SigningKey(algorithm)
        let key = try #require(try SignatureAlgorithm.ecdsa(curve, hash).publicKey(Self.elliptic(curve, signer)))
        for _ in 0..<100 { #expect(key.isValid(signature: signer.sign(Self.message), over: Self.message)) }
        let signature = signer.sign(Self.message)
        for changed in signature.bitFlips { #expect(!key.isValid(signature: changed, over: Self.message)) }
        for short in signature.truncations { #expect(!key.isValid(signature: short, over: Self.message)) }
        #expect(!key.isValid(signature: signature + [0], over: Self.message))
    }

    @Test(arguments: EllipticCurve.allCases)
    func `coordinates of no point, and of other lengths, are refused`(curve: EllipticCurve) {
        let zeros = [UInt8](repeating: 0, count: curve.coordinateSize)
        #expect(throws: KeyFault.notOnCurve) {
            try ECDSAPublicKey(curve: curve, hash: .sha256, x: zeros, y: zeros)
        }
        #expect(throws: KeyFault.length(curve.coordinateSize + 1)) {
            try ECDSAPublicKey(curve: curve, hash: .sha256, x: zeros, y: [0] + zeros)
        }
        #expect(throws: KeyFault.length(0)) { try ECDSAPublicKey(curve: curve, hash: .sha256, x: [], y: zeros) }
    }

    @Test func `the two paddings of RSA don't pass for each other`() throws {
        let signer = SigningKey.sharedRSA
        let material = KeyMaterial.rsa(modulus: signer.modulus, exponent: [1, 0, 1])
        let pss = try #require(try SignatureAlgorithm.rsaPSS(.sha256).publicKey(material))
        let pkcs1 = try #require(try SignatureAlgorithm.rsaPKCS1(.sha256).publicKey(material))
        let signature = signer.sign(Self.message, as: .ps256)
        #expect(pss.isValid(signature: signature, over: Self.message))
        #expect(!pss.isValid(signature: signature, over: []))
        #expect(!pkcs1.isValid(signature: signature, over: Self.message))
        #expect(!pss.isValid(signature: signer.sign(Self.message), over: Self.message))
        for bad in [[], Array(signature.dropLast()), signature + [0], [UInt8](repeating: 0xFF, count: 256)] {
            #expect(!pss.isValid(signature: bad, over: Self.message))
        }
    }

    @Test func `material of another kind of key makes no key`() throws {
        let ed25519 = KeyMaterial.ed25519(SigningKey(.edDSA).publicBytes)
        #expect(try SignatureAlgorithm.ecdsa(.p256, .sha256).publicKey(ed25519) == nil)
        #expect(try SignatureAlgorithm.ed448.publicKey(ed25519) == nil)
        let p256 = Self.elliptic(.p256, SigningKey(.es256))
        #expect(try SignatureAlgorithm.ecdsa(.p384, .sha384).publicKey(p256) == nil)
    }
}

struct Ed448PublicKeyTests {
    private static let prime = [UInt8](repeating: 0xFF, count: 28) + [0xFE] + [UInt8](repeating: 0xFF, count: 27)

    @Test func `a signature verifies, and is refused when it changes`() throws {
        let signer = SigningKey(.ed448)
        let key = try Ed448PublicKey(encoding: signer.publicBytes)
        let signature = signer.sign([1, 2, 3])
        #expect(key.isValid(signature: signature, over: [1, 2, 3]))
        #expect(!key.isValid(signature: signature, over: [1, 2]))
        for changed in signature.bitFlips { #expect(!key.isValid(signature: changed, over: [1, 2, 3])) }
    }

    @Test func `every key that libcrypto makes is accepted`() throws {
        for _ in 0..<50 { _ = try Ed448PublicKey(encoding: SigningKey(.ed448).publicBytes) }
    }

    @Test(
        arguments: [
            [0], [1], [UInt8](repeating: 0xFF, count: 28) + [0xFE] + [UInt8](repeating: 0xFF, count: 27),
            [0xFE] + [UInt8](repeating: 0xFF, count: 27) + [0xFE] + [UInt8](repeating: 0xFF, count: 27),
        ] as [[UInt8]]
    )
    func `points of small order and numbers above the prime are refused`(y: [UInt8]) {
        let encoding = y + [UInt8](repeating: 0, count: 57 - y.count)
        #expect(throws: KeyFault.self) { try Ed448PublicKey(encoding: encoding) }
        #expect(throws: KeyFault.self) { try Ed448PublicKey(encoding: encoding.dropLast() + [0x80]) }
    }

    @Test func `about half of all numbers are no points`() {
        let count = (2..<130).count { (y: UInt8) in
            (try? Ed448PublicKey(encoding: [y] + [UInt8](repeating: 0, count: 56))) != nil
        }
        #expect((30...98).contains(count))
    }
}
