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
