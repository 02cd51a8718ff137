/// The path of a request in the one form that access rules are compared with.
///
/// Gateway and application must not disagree on which resource a path names. So it is percent-decoded once, repeated
/// slashes become one, parameters after `;` are dropped, and whatever different servers read differently is refused: dot
/// segments in any spelling, double encoding, encoded slashes and backslashes, NUL and control characters, and bytes that aren't UTF-8
/// (RFC 3986 §6.2.2, RFC 3629 §3).
public struct RequestPath: Hashable, Sendable {
    /// Decoded segments without the slashes; empty for `/`.
    public let segments: [String]

    /// - Parameter raw: As on the request line, from the first slash to the query.
    /// - Returns: `nil` for a path that has no single meaning.
    public init?(_ raw: some StringProtocol) {
        guard raw.utf8.first == UInt8(ascii: "/") else { return nil }
        var segments: [String] = []
        for part in raw.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true) {
            guard let segment = Self.segment(part) else { return nil }
            if !segment.isEmpty { segments.append(segment) }
        }
        self.segments = segments
    }

    private static func segment(_ raw: some Collection<UInt8>) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(raw.count)
        var rest = raw[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                return nil
            }
            decoded.append(high << 4 | low)
        }
        guard decoded.allSatisfy(isUnambiguous), !looksEncoded(decoded),
            let text = String(validating: decoded, as: UTF8.self)
        else { return nil }
        let name = text.prefix { $0 != ";" }
        return name == "." || name == ".." || (name.isEmpty && !text.isEmpty) ? nil : String(name)
    }

    private static func isUnambiguous(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "\\")
    }

    /// Whether a server that decodes twice would see something else.
    private static func looksEncoded(_ decoded: [UInt8]) -> Bool {
        var rest = decoded[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else { continue }
            if rest.count >= 2, rest.prefix(2).allSatisfy({ hexValue($0) != nil }) { return true }
        }
        return false
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
