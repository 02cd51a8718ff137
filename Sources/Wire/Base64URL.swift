/// Bytes that travel as unpadded base64url (RFC 4648 §5).
///
/// Decoded strictly: no padding, no whitespace, and no stray bits in the last character, so that every byte string has
/// exactly one spelling.
public struct Base64URL: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    public init?(_ text: some StringProtocol) {
        self.init(digits: Array(text.utf8))
    }

    /// The same of text that is bytes already.
    ///
    /// Apart from the generic initializer, which would be compiled for no type in particular and cost five times as much.
    public init?(digits: [UInt8]) {
        let rest = digits.count % 4
        guard rest != 1 else { return nil }
        let (digits, values) = (digits.span, Self.values.span)
        let whole = digits.count - rest
        var last = Group(digits, from: whole, count: rest, values)
        bytes = [UInt8](capacity: digits.count / 4 * 3 + 2) { output in
            for start in stride(from: 0, to: whole, by: 4) {
                let group = Group(digits, from: start, count: 4, values)
                last.seen |= group.seen
                output.append(UInt8(truncatingIfNeeded: group.bits >> 16))
                output.append(UInt8(truncatingIfNeeded: group.bits >> 8))
                output.append(UInt8(truncatingIfNeeded: group.bits))
            }
            if rest > 1 { output.append(UInt8(truncatingIfNeeded: last.bits >> 16)) }
            if rest > 2 { output.append(UInt8(truncatingIfNeeded: last.bits >> 8)) }
        }
        let stray: UInt32 = rest == 0 ? 0 : rest == 2 ? 0xFFFF : 0xFF
        guard last.seen & Self.noDigit == 0, last.bits & stray == 0 else { return nil }
    }

    /// Up to four digits, as 24 bits from the top.
    private struct Group {
        var bits: UInt32 = 0
        /// What isn't a digit sets a bit that no value has, so that it needs to be looked for once only.
        var seen: UInt8 = 0

        init(_ digits: Span<UInt8>, from start: Int, count: Int, _ values: Span<UInt8>) {
            for index in start..<start + count {
                let value = values[Int(digits[index])]
                seen |= value
                bits = bits << 6 | UInt32(value)
            }
            bits <<= UInt32(6 * (4 - count))
        }
    }

    private static let noDigit: UInt8 = 0x80

    /// By the byte that stands for it.
    private static let values: [UInt8] = (0...UInt8.max).map { value(of: $0) ?? noDigit }

    /// The one spelling of these bytes.
    public var text: String {
        var digits: [UInt8] = []
        digits.reserveCapacity((bytes.count * 4 + 2) / 3)
        var pending: UInt32 = 0
        var pendingBits: UInt32 = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            pendingBits += 8
            while pendingBits >= 6 {
                pendingBits -= 6
                digits.append(Self.digit(for: pending >> pendingBits))
            }
        }
        if pendingBits > 0 { digits.append(Self.digit(for: pending << (6 - pendingBits))) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Bytes in the standard alphabet, unpadded (RFC 4648 §4); as strict.
    public init?(standard text: some StringProtocol) {
        guard !text.utf8.contains(UInt8(ascii: "-")), !text.utf8.contains(UInt8(ascii: "_")) else { return nil }
        self.init(String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))
    }

    /// The same in the standard alphabet, unpadded, as PHC strings have it (RFC 4648 §4).
    public var standardText: String {
        String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func digit(for bits: UInt32) -> UInt8 { alphabet[Int(bits & 0x3F)] }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

extension Base64URL: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Base64URL(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base64url")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
