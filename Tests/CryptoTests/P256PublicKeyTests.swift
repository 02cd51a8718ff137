import Crypto
import GatehouseTesting
import Testing

struct P256PublicKeyTests {
    private static let signer = SigningKey(.es256)
    private static let message = Array("message".utf8)

    private static func key(_ point: [UInt8]) throws -> P256PublicKey {
        try P256PublicKey(x: Array(point[1...32]), y: Array(point[33...64]))
    }

    /// The two numbers of a DER signature, without sign bytes.
    private static func numbers(_ signature: [UInt8]) -> (r: [UInt8], s: [UInt8]) {
        let rLength = Int(signature[3])
        let r = signature[4..<(4 + rLength)].drop { $0 == 0 }
        return (Array(r), Array(signature[(6 + rLength)...].drop { $0 == 0 }))
    }

    private static func der(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        let body = [r, s].flatMap { number -> [UInt8] in [0x02, UInt8(number.count)] + number }
        return [0x30, UInt8(body.count)] + body
    }

    private static func positive(_ number: [UInt8]) -> [UInt8] { number[0] >= 0x80 ? [0] + number : number }

    @Test func `five hundred signatures verify in both forms, short numbers among them`() throws {
        let key = try Self.key(Self.signer.publicBytes)
        for _ in 0..<500 {
            let signature = Self.signer.sign(Self.message)
            #expect(key.isValid(signature: signature, over: Self.message))
            let (r, s) = Self.numbers(signature)
            let raw = [r, s].flatMap { [UInt8](repeating: 0, count: 32 - $0.count) + $0 }
            #expect(key.isValid(rawSignature: raw, over: Self.message))
        }
    }

    @Test func `the higher of the two values of s is accepted`() throws {
        let key = try Self.key(Self.signer.publicBytes)
        let (r, s) = Self.numbers(Self.signer.sign(Self.message))
        let other = Self.order.subtracting(s)
        #expect(key.isValid(signature: Self.der(Self.positive(r), Self.positive(other)), over: Self.message))
    }

    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// What makes of a good signature's DER, `r` and `s` a bad encoding.
    struct Encoding: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable (_ der: [UInt8], _ r: [UInt8], _ s: [UInt8]) -> [UInt8]

        init(_ what: String, _ make: @escaping @Sendable ([UInt8], [UInt8], [UInt8]) -> [UInt8]) {
            testDescription = what
            self.make = make
        }
    }

    static let encodings = [
        Encoding("nothing") { _, _, _ in [] },
        Encoding("64 raw bytes") { _, r, s in r + s },
        Encoding("a byte after it") { der, _, _ in der + [0] },
        Encoding("a byte missing") { der, _, _ in Array(der.dropLast()) },
        Encoding("a length in two bytes") { der, _, _ in [0x30, 0x81] + der[1...] },
        Encoding("a length in three bytes") { der, _, _ in [0x30, 0x82, 0x00] + der[1...] },
        Encoding("a length of 2^31") { der, _, _ in [0x30, 0x84, 0x80, 0, 0, 0] + der[2...] },
        Encoding("an indefinite length") { der, _, _ in [0x30, 0x80] + der[2...] + [0, 0] },
        Encoding("a SET") { der, _, _ in [0x31] + der[1...] },
        Encoding("an OCTET STRING in it") { der, _, _ in der[..<2] + [0x04] + der[3...] },
        Encoding("r = 0") { _, _, s in P256PublicKeyTests.der([0], P256PublicKeyTests.positive(s)) },
        Encoding("s = 0") { _, r, _ in P256PublicKeyTests.der(P256PublicKeyTests.positive(r), [0]) },
        Encoding("r of no bytes") { _, _, s in P256PublicKeyTests.der([], P256PublicKeyTests.positive(s)) },
        Encoding("a negative r") { _, _, s in
            P256PublicKeyTests.der([0xFF, 0x01], P256PublicKeyTests.positive(s))
        },
        Encoding("a zero too many") { _, r, s in
            P256PublicKeyTests.der([0] + P256PublicKeyTests.positive(r), P256PublicKeyTests.positive(s))
        },
        Encoding("r = n") { _, _, s in
            P256PublicKeyTests.der([0] + P256PublicKeyTests.order, P256PublicKeyTests.positive(s))
        },
        Encoding("s = n") { _, r, _ in
            P256PublicKeyTests.der(P256PublicKeyTests.positive(r), [0] + P256PublicKeyTests.order)
        },
        Encoding("r and s exchanged") { _, r, s in
            P256PublicKeyTests.der(P256PublicKeyTests.positive(s), P256PublicKeyTests.positive(r))
        },
        Encoding("three numbers") { der, _, _ in [0x30, der[1] + 3] + der[2...] + [2, 1, 1] },
        Encoding("no numbers") { _, _, _ in [0x30, 0] },
        Encoding("sixty thousand bytes after it") { der, _, _ in der + [UInt8](repeating: 0, count: 60_000) },
    ]

    @Test(arguments: encodings)
    func `any other encoding is an invalid signature`(encoding: Encoding) throws {
        let key = try Self.key(Self.signer.publicBytes)
        let good = Self.signer.sign(Self.message)
        #expect(key.isValid(signature: good, over: Self.message))
        let (r, s) = Self.numbers(good)
        #expect(!key.isValid(signature: encoding.make(good, r, s), over: Self.message))
    }

    @Test func `another message, another key or another length is refused`() throws {
        let signature = Self.signer.sign(Self.message)
        #expect(try !Self.key(Self.signer.publicBytes).isValid(signature: signature, over: []))
        #expect(try !Self.key(SigningKey(.es256).publicBytes).isValid(signature: signature, over: Self.message))
        #expect(try !Self.key(Self.signer.publicBytes).isValid(rawSignature: signature, over: Self.message))
        #expect(try !Self.key(Self.signer.publicBytes).isValid(rawSignature: [], over: Self.message))
    }

    @Test func `coordinates of no point are refused`() {
        let one = [UInt8](repeating: 0, count: 31) + [1]
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(throws: KeyFault.notOnCurve) { try P256PublicKey(x: one, y: one) }
        #expect(throws: KeyFault.notOnCurve) { try P256PublicKey(x: zero, y: zero) }
    }

    @Test func `coordinates of another length are refused`() {
        let point = Self.signer.publicBytes
        let x = Array(point[1...32])
        let y = Array(point[33...64])
        #expect(throws: KeyFault.length(31)) { try P256PublicKey(x: Array(x.dropFirst()), y: y) }
        #expect(throws: KeyFault.length(33)) { try P256PublicKey(x: x, y: [0] + y) }
        #expect(throws: KeyFault.length(0)) { try P256PublicKey(x: [], y: y) }
    }

    @Test func `a coordinate that is not below the prime is refused`() throws {
        // x = 5 lies on the curve; x = p + 5 is another spelling of it.
        let primePlusFive: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04,
        ]
        let y: [UInt8] = [
            0x45, 0x92, 0x43, 0xB9, 0xAA, 0x58, 0x18, 0x06, 0xFE, 0x91, 0x3B, 0xCE, 0x99, 0x81, 0x7A, 0xDE,
            0x11, 0xCA, 0x50, 0x3C, 0x64, 0xD9, 0xA3, 0xC5, 0x33, 0x41, 0x5C, 0x08, 0x32, 0x48, 0xFB, 0xCC,
        ]
        _ = try P256PublicKey(x: [UInt8](repeating: 0, count: 31) + [5], y: y)
        #expect(throws: KeyFault.notOnCurve) {
            try P256PublicKey(x: primePlusFive, y: y)
        }
    }
}

extension [UInt8] {
    /// This number minus a smaller one, both big-endian.
    fileprivate func subtracting(_ other: [UInt8]) -> [UInt8] {
        var borrow = 0
        let padded = [UInt8](repeating: 0, count: count - other.count) + other
        let digits = zip(self, padded).reversed().map { left, right in
            let difference = Int(left) - Int(right) - borrow
            borrow = difference < 0 ? 1 : 0
            return UInt8(truncatingIfNeeded: difference)
        }
        return Array(digits.reversed().drop { $0 == 0 })
    }
}
