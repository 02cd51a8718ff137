import Crypto
import GatehouseTesting
import Testing

struct Ed25519PublicKeyTests {
    private static let signer = SigningKey(.edDSA)
    private static let message = Array("message".utf8)

    @Test func `the third example of RFC 8032 verifies`() throws {
        let key = try Ed25519PublicKey(
            encoding: hex("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
        )
        let signature = hex(
            """
            6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac
            18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a
            """
        )
        #expect(key.isValid(signature: signature, over: [0xAF, 0x82]))
        #expect(!key.isValid(signature: signature, over: [0xAF, 0x83]))
    }

    /// Every point whose order divides 8, in the encodings with either sign.
    static let smallOrder = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    ]

    @Test(arguments: smallOrder)
    func `a point of small order is refused`(encoding: String) {
        #expect(throws: KeyFault.smallOrder) { try Ed25519PublicKey(encoding: hex(encoding)) }
    }

    @Test(arguments: [
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ])
    func `a y that is not below the prime is refused`(encoding: String) {
        #expect(throws: KeyFault.notCanonical) { try Ed25519PublicKey(encoding: hex(encoding)) }
    }

    @Test func `half of all y have no x, and are refused`() {
        let refused = (2..<202).count { low in
            let encoding = [UInt8(low)] + [UInt8](repeating: 0, count: 31)
            return (try? Ed25519PublicKey(encoding: encoding)) == nil
        }
        #expect((70...130).contains(refused))
        // RFC 8032's own generator has y = 4/5; y = 2 has no x.
        #expect(throws: KeyFault.notOnCurve) {
            try Ed25519PublicKey(encoding: [2] + [UInt8](repeating: 0, count: 31))
        }
    }

    @Test
    func `bytes that are said to have been a key are still no small or second one, and verify nothing without a point`()
        throws
    {
        let zeros = [UInt8](repeating: 0, count: 31)
        #expect(throws: KeyFault.smallOrder) { try Ed25519PublicKey(encoding: [1] + zeros, wasKey: true) }
        #expect(throws: KeyFault.notCanonical) {
            try Ed25519PublicKey(encoding: [UInt8](repeating: 0xFF, count: 32), wasKey: true)
        }
        let pointless = try Ed25519PublicKey(encoding: [2] + zeros, wasKey: true)
        #expect(!pointless.isValid(signature: Self.signer.sign(Self.message), over: Self.message))
        let key = try Ed25519PublicKey(encoding: Self.signer.publicBytes, wasKey: true)
        #expect(key.isValid(signature: Self.signer.sign(Self.message), over: Self.message))
    }

    @Test func `keys that were made are accepted`() throws {
        for _ in 0..<50 { _ = try Ed25519PublicKey(encoding: SigningKey(.edDSA).publicBytes) }
    }

    @Test(arguments: [0, 31, 33])
    func `another length is refused`(length: Int) {
        #expect(throws: KeyFault.length(length)) {
            try Ed25519PublicKey(encoding: [UInt8](repeating: 9, count: length))
        }
    }

    @Test func `a signature of another length, or with S not below the order, is invalid`() throws {
        let key = try Ed25519PublicKey(encoding: Self.signer.publicBytes)
        let good = Self.signer.sign(Self.message)
        #expect(key.isValid(signature: good, over: Self.message))
        #expect(!key.isValid(signature: good + [0], over: Self.message))
        #expect(!key.isValid(signature: Array(good.dropLast()), over: Self.message))
        #expect(!key.isValid(signature: [], over: Self.message))
        #expect(!key.isValid(signature: [1] + [UInt8](repeating: 0, count: 63), over: Self.message))
        #expect(!key.isValid(signature: good.prefix(32) + Self.plusOrder(good.suffix(32)), over: Self.message))
    }

    /// S + L, little-endian: the same signature to whoever doesn't look.
    private static func plusOrder(_ s: ArraySlice<UInt8>) -> [UInt8] {
        let order = hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var carry = 0
        return zip(s, order).map { left, right in
            let sum = Int(left) + Int(right) + carry
            carry = sum >> 8
            return UInt8(truncatingIfNeeded: sum)
        }
    }
}

/// Bytes from hexadecimal digits; anything else is skipped.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
