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
        guard digits.count % 4 != 1 else { return nil }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(digits.count / 4 * 3 + 2)
        var pending: UInt32 = 0
        var pendingBits: UInt32 = 0
        for digit in digits {
            guard let value = Self.value(of: digit) else { return nil }
            pending = pending << 6 | UInt32(value)
            pendingBits += 6
            if pendingBits >= 8 {
                pendingBits -= 8
                decoded.append(UInt8(truncatingIfNeeded: pending >> pendingBits))
            }
        }
        guard pending & (1 << pendingBits - 1) == 0 else { return nil }
        bytes = decoded
    }

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
