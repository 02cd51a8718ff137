import Testing
import Wire

struct CBORReaderTests {
    /// RFC 8949 appendix A, as far as the canonical form of CTAP2 has it.
    static let examples: [(String, CBORValue)] = [
        ("00", CBORValue(0)), ("17", CBORValue(23)), ("1818", CBORValue(24)), ("1903e8", CBORValue(1000)),
        ("1bffffffffffffffff", .unsigned(.max)), ("20", CBORValue(-1)), ("3903e7", CBORValue(-1000)),
        ("3bffffffffffffffff", .negative(.max)), ("4401020304", .bytes([1, 2, 3, 4])), ("40", .bytes([])),
        ("60", .text("")), ("62c3bc", .text("ü")), ("80", .array([])),
        ("83010203", .array([CBORValue(1), CBORValue(2), CBORValue(3)])),
        ("8301820203820405", .array([CBORValue(1), pair(2, 3), pair(4, 5)])),
        ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null), ("f7", .undefined),
        ("f93c00", .float(width: 2, bits: 0x3C00)), ("fa47c35000", .float(width: 4, bits: 0x47C3_5000)),
        ("fb3ff199999999999a", .float(width: 8, bits: 0x3FF1_9999_9999_999A)),
    ]

    private static func pair(_ first: Int, _ second: Int) -> CBORValue {
        .array([CBORValue(first), CBORValue(second)])
    }

    @Test(arguments: examples)
    func `an item decodes`(hex: String, value: CBORValue) throws {
        #expect(try CBORValue(decoding: bytes(hex).span) == value)
    }

    @Test(arguments: examples)
    func `an item cut short is refused`(hex: String, value: CBORValue) {
        let whole = bytes(hex)
        for length in whole.indices {
            #expect(throws: WireFault.self) { try CBORValue(decoding: Array(whole.prefix(length)).span) }
        }
    }

    @Test(arguments: [
        "1817", "190017", "1a00000017", "1b0000000000000017", "190018", "1a000000ff", "1b00000000ffffffff",
        "3817", "5801ff", "7801" + "61", "980100", "b8010000",
    ])
    func `a number or length in more bytes than it needs is refused`(hex: String) {
        #expect(throws: WireFault(.notCanonical, at: 0)) { try CBORValue(decoding: bytes(hex).span) }
    }

    @Test(arguments: ["1c", "1d", "1e", "3c", "5c", "7c", "9c", "bc", "fc"])
    func `reserved lengths are refused`(hex: String) {
        #expect(throws: WireFault.self) { try CBORValue(decoding: bytes(hex + "00").span) }
    }

    @Test(arguments: ["5f4101ff", "7f6161ff", "9fff", "bfff", "ff"])
    func `indefinite lengths are refused`(hex: String) {
        #expect(throws: WireFault.self) { try CBORValue(decoding: bytes(hex).span) }
    }

    @Test(arguments: ["c000", "d82a00", "d9d9f700", "e0", "f0", "f814", "f8ff"])
    func `tags and unassigned simple values are refused`(hex: String) {
        #expect(throws: WireFault.self) { try CBORValue(decoding: bytes(hex).span) }
    }

    @Test(arguments: [
        "5bffffffffffffffff", "5b7fffffffffffffff", "5b8000000000000000", "5a80000000", "7bffffffffffffffff",
        "9bffffffffffffffff", "9affffffff", "bb8000000000000000", "bbffffffffffffffff", "ba7fffffff", "a2010203",
    ])
    func `a length beyond what is there is refused at once`(hex: String) {
        #expect(throws: WireFault.self) { try CBORValue(decoding: bytes(hex).span) }
    }

    @Test(arguments: [[0x81], [0xA1, 0x00], [0xC0], [0x9F], [0x7F], [0xA1]] as [[UInt8]])
    func `two hundred thousand levels are refused`(level: [UInt8]) {
        let nested = Array([[UInt8]](repeating: level, count: 200_000).joined()) + [0]
        #expect(throws: WireFault.self) { try CBORValue(decoding: nested.span) }
    }

    @Test func `four levels are read and a fifth is refused`() throws {
        _ = try CBORValue(decoding: bytes("8181818100").span)
        #expect(throws: WireFault(.tooDeep, at: 4)) { try CBORValue(decoding: bytes("818181818100").span) }
        _ = try CBORValue(decoding: bytes("818181818100").span, maximumDepth: 5)
    }

    @Test(arguments: ["a201000100", "a2616100616100", "a3010002000100"])
    func `a key that occurs twice is refused`(hex: String) {
        #expect(throws: WireFault(.duplicateKey, at: 0)) { try CBORValue(decoding: bytes(hex).span) }
    }

    @Test func `a key that occurs twice among many is refused, and many are not slow`() throws {
        func map(last: UInt16) -> [UInt8] {
            let keys = (UInt16(1000)..<30_999) + [last]
            return [0xB9, 0x75, 0x30] + keys.flatMap { [0x19, UInt8($0 >> 8), UInt8($0 & 0xFF), 0x00] }
        }
        #expect(try CBORValue(decoding: map(last: 30_999).span).map?.entries.count == 30_000)
        #expect(throws: WireFault(.duplicateKey, at: 0)) { try CBORValue(decoding: map(last: 1000).span) }
    }

    @Test(arguments: ["a18000", "a1a000", "a1f400", "a1f600"])
    func `a key that is neither number nor string is refused`(hex: String) {
        #expect(throws: WireFault.self) { try CBORValue(decoding: bytes(hex).span) }
    }

    @Test func `keys may come in any order`() throws {
        let map = try CBORValue(decoding: bytes("a203010102").span).map
        #expect(map?[3] == CBORValue(1) && map?[1] == CBORValue(2))
    }

    @Test(arguments: ["61ff", "62c328", "63eda080", "64f4908080"])
    func `text that is not UTF-8 is refused`(hex: String) {
        #expect(throws: WireFault(.notUTF8, at: 0)) { try CBORValue(decoding: bytes(hex).span) }
    }

    @Test func `one item is taken from the front and the rest is left`() throws {
        let input = bytes("a101020304")
        var reader = CBORReader(input.span)
        #expect(try reader.readItem(input.span).map?[1] == CBORValue(2))
        #expect(reader.offset == 3)
        #expect(throws: WireFault(.trailingBytes(2), at: 3)) { try reader.finish() }
    }

    @Test func `integers convert only where they fit`() {
        #expect(CBORValue(Int.min).integer == Int.min && CBORValue(Int.max).integer == Int.max)
        #expect(CBORValue.unsigned(.max).integer == nil && CBORValue.negative(.max).integer == nil)
        #expect(CBORValue.float(width: 2, bits: 0x4000).integer == nil)
    }
}

/// Bytes from hexadecimal digits.
func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
