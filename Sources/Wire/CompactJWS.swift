/// A signed text in three parts: the compact serialisation of RFC 7515 §7.1; nothing in it is checked but its form.
public struct CompactJWS: Sendable {
    /// The protected header, which is JSON as a rule.
    public let header: [UInt8]
    public let payload: [UInt8]
    public let signature: [UInt8]
    /// What the signature covers: the first two parts as they stand, with the dot between them.
    public let signedBytes: [UInt8]

    /// - Parameter text: ASCII, without white space around it.
    /// - Throws: ``WireFault`` unless there are exactly three parts, each of them unpadded base64url.
    public init(parsing text: [UInt8]) throws(WireFault) {
        let dot = UInt8(ascii: ".")
        guard let first = text.firstIndex(of: dot), let last = text.lastIndex(of: dot), first < last else {
            throw WireFault(.lengthOutOfRange(text.contains(dot) ? 2 : 1, allowed: 3...3), at: 0)
        }
        header = try Self.decode(text, 0..<first)
        // One more dot would be no digit of the payload.
        payload = try Self.decode(text, first + 1..<last)
        signature = try Self.decode(text, last + 1..<text.count)
        signedBytes = Array(text[..<last])
    }

    private static func decode(_ text: [UInt8], _ range: Range<Int>) throws(WireFault) -> [UInt8] {
        guard let part = Base64URL(digits: Array(text[range])) else {
            throw WireFault(.notCanonical, at: range.lowerBound)
        }
        return part.bytes
    }
}
