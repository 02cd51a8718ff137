import Crypto
import GatehouseTesting
import Testing

struct RSAPublicKeyTests {
    private static let signer = SigningKey.sharedRSA
    private static let modulus = signer.modulus
    private static let exponent: [UInt8] = [1, 0, 1]
    private static let message = Array("message".utf8)

    /// An odd number of so many bits.
    private static func number(bits: Int) -> [UInt8] {
        var number = [UInt8](repeating: 0xFF, count: (bits + 7) / 8)
        number[0] >>= UInt8(number.count * 8 - bits)
        return number
    }

    @Test func `a signature verifies, and is refused when it changes`() throws {
        let key = try RSAPublicKey(modulus: Self.modulus, exponent: Self.exponent)
        let good = Self.signer.sign(Self.message)
        #expect(key.isValid(signature: good, over: Self.message))
        #expect(!key.isValid(signature: good, over: []))
        #expect(!key.isValid(signature: good + [0], over: Self.message))
        #expect(!key.isValid(signature: [0] + good, over: Self.message))
        #expect(!key.isValid(signature: Array(good.dropLast()), over: Self.message))
        #expect(!key.isValid(signature: [], over: Self.message))
        #expect(!key.isValid(signature: [UInt8](repeating: 0, count: 255) + [1], over: Self.message))
        #expect(!key.isValid(signature: [UInt8](repeating: 0xFF, count: 256), over: Self.message))
    }

    /// What a reader of paddings may take for an encoding of the digest.
    private static func sloppyEncodings(of digest: [UInt8]) -> [(name: String, encoded: [UInt8])] {
        [
            ("bytes behind the digest", [0, 1] + ones(8) + [0] + info + digest + zeros(194)),
            ("zeros for padding", [0, 1] + zeros(202) + [0] + info + digest),
            ("padding of encryption", [0, 2] + ones(202) + [0] + info + digest),
            ("no separator", [0, 1] + ones(203) + info + digest),
            ("a digest without DigestInfo", [0, 1] + ones(221) + [0] + digest),
            ("parameters left out", [0, 1] + ones(204) + [0] + infoWithoutParameters + digest),
            ("bytes in the parameters", [0, 1] + ones(198) + [0] + infoWithLongParameters + digest),
            ("another hash's name", [0, 1] + ones(202) + [0] + info.dropLast(5) + [3, 5, 0, 4, 32] + digest),
            ("a length in long form", [0, 1] + ones(201) + [0] + [0x30, 0x81] + info.dropFirst() + digest),
        ]
    }
    private static let info: [UInt8] = hex("3031300d060960864801650304020105000420")
    private static let infoWithoutParameters: [UInt8] = hex("302f300b06096086480165030402010420")
    private static let infoWithLongParameters: [UInt8] = hex("3035301106096086480165030402010504deadbeef0420")
    private static func ones(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xFF, count: count) }
    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    @Test func `any encoding but the one of the message is refused`() throws {
        let key = try RSAPublicKey(modulus: Self.modulus, exponent: Self.exponent)
        let digest = SHA256.hash(Self.message)
        let right = Self.signer.power(of: [0, 1] + Self.ones(202) + [0] + Self.info + digest)
        #expect(key.isValid(signature: right, over: Self.message))
        for (name, encoded) in Self.sloppyEncodings(of: digest) {
            #expect(encoded.count == 256, "\(name)")
            #expect(!key.isValid(signature: Self.signer.power(of: encoded), over: Self.message), "\(name)")
        }
    }

    @Test func `a signature that is the modulus or more is refused`() throws {
        let key = try RSAPublicKey(modulus: Self.modulus, exponent: Self.exponent)
        #expect(!key.isValid(signature: Self.modulus, over: Self.message))
        #expect(!key.isValid(signature: Self.ones(256), over: Self.message))
    }

    @Test func `every hash has its own encoding`() throws {
        // An RSA key signs with the hash of whatever it is told; padding is PKCS#1 v1.5 unless it is told PS256.
        let signatures: [(HashFunction, [UInt8])] = [
            (.sha1, Self.signer.signSHA1(Self.message)), (.sha256, Self.signer.sign(Self.message)),
            (.sha384, Self.signer.sign(Self.message, as: .es384)),
            (.sha512, Self.signer.sign(Self.message, as: .es512)),
        ]
        for (hash, _) in signatures {
            let key = try RSAPublicKey(modulus: Self.modulus, exponent: Self.exponent, scheme: .pkcs1(hash))
            for (made, signature) in signatures {
                #expect(key.isValid(signature: signature, over: Self.message) == (made == hash))
            }
        }
    }

    @Test(arguments: [512, 1024, 2047, 8193, 16_384, 32_768, 1 << 20])
    func `a modulus of too few or too many bits is refused`(bits: Int) {
        #expect(throws: KeyFault.modulus(bits: bits)) {
            try RSAPublicKey(modulus: Self.number(bits: bits), exponent: Self.exponent)
        }
    }

    @Test(arguments: [2048, 3072, 4096, 8192])
    func `a modulus of the usual sizes is accepted`(bits: Int) throws {
        _ = try RSAPublicKey(modulus: Self.number(bits: bits), exponent: Self.exponent)
    }

    @Test func `a modulus that is even, padded, zero or empty is refused`() {
        let even: [UInt8] = Self.modulus.dropLast() + [Self.modulus[255] & 0xFE]
        #expect(throws: KeyFault.modulus(bits: 2048)) { try RSAPublicKey(modulus: even, exponent: Self.exponent) }
        for modulus in [[0] + Self.modulus, [UInt8](repeating: 0, count: 256)] {
            #expect(throws: KeyFault.notCanonical) { try RSAPublicKey(modulus: modulus, exponent: Self.exponent) }
        }
        #expect(throws: KeyFault.length(0)) { try RSAPublicKey(modulus: [], exponent: Self.exponent) }
    }

    @Test(arguments: [[1], [2], [3], [17], [1, 0, 0], [0xFF, 0xFF], [1, 0, 2]] as [[UInt8]])
    func `a public exponent that is even or too small is refused`(exponent: [UInt8]) {
        #expect(throws: KeyFault.exponent) { try RSAPublicKey(modulus: Self.modulus, exponent: exponent) }
    }

    @Test func `a public exponent that is empty, padded or long is refused`() {
        let long = [UInt8](repeating: 0xFF, count: 257)
        #expect(throws: KeyFault.length(0)) { try RSAPublicKey(modulus: Self.modulus, exponent: []) }
        #expect(throws: KeyFault.length(257)) { try RSAPublicKey(modulus: Self.modulus, exponent: long) }
        #expect(throws: KeyFault.notCanonical) { try RSAPublicKey(modulus: Self.modulus, exponent: [0, 1, 0, 1]) }
        #expect(throws: KeyFault.notCanonical) { try RSAPublicKey(modulus: Self.modulus, exponent: [0]) }
    }
}
