/// Bytes as pairs of hexadecimal digits, in either case.
public enum Hexadecimal {
    /// - Returns: `nil` for anything but pairs of digits.
    public static func bytes(of text: some StringProtocol) -> [UInt8]? {
        // `UInt8(_:radix:)` would take a sign.
        let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// In lower case.
    public static func text(_ bytes: [UInt8]) -> String { String(decoding: digits(of: bytes), as: UTF8.self) }

    /// In lower case.
    public static func digits(of bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { [digit(of: $0 >> 4), digit(of: $0 & 15)] }
    }

    private static func digit(of nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
}
