/// The path of a request in the one form that access rules are compared with.
///
/// Gateway and application must not disagree on which resource a path names. So it is percent-decoded once, repeated
/// slashes become one, parameters after `;` are dropped, and whatever different servers read differently is refused: dot
/// segments in any spelling, double encoding, encoded slashes and backslashes, NUL and control characters, and bytes that aren't UTF-8
/// (RFC 3986 §6.2.2, RFC 3629 §3).
public struct RequestPath: Hashable, Sendable {
    /// Decoded segments without the slashes; empty for `/`.
    public let segments: [String]
    /// The same in lower case, for comparison where an application may not tell the cases apart.
    public let foldedSegments: [String]

    /// - Parameter target: As on the request line, from the first slash; what follows a question mark is not looked at.
    /// - Returns: `nil` for a path that has no single meaning.
    public init?(_ target: some StringProtocol) { self.init(utf8: Array(target.utf8)) }

    private init?(utf8 bytes: [UInt8]) {
        guard bytes.first == UInt8(ascii: "/") else { return nil }
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        var segments: [String] = []
        var start = 1
        while start <= end {
            var stop = start
            while stop < end, bytes[stop] != UInt8(ascii: "/") { stop += 1 }
            if stop > start {
                guard let segment = Self.segment(bytes[start..<stop]) else { return nil }
                segments.append(segment)
            }
            start = stop + 1
        }
        self.segments = segments
        let hasCase = bytes[..<end].contains { (65...90).contains($0) || $0 == UInt8(ascii: "%") || $0 >= 0x80 }
        foldedSegments = hasCase ? segments.map { $0.lowercased() } : segments
    }

    private static func segment(_ raw: ArraySlice<UInt8>) -> String? {
        if raw.allSatisfy(isPlain) {
            let name = String(decoding: raw, as: UTF8.self)
            return isDots(name) ? nil : name
        }
        guard let decoded = decoded(raw), decoded.allSatisfy(isUnambiguous), !looksEncoded(decoded),
            let text = String(validating: decoded, as: UTF8.self)
        else { return nil }
        guard let parameters = decoded.firstIndex(of: UInt8(ascii: ";")) else { return isDots(text) ? nil : text }
        let name = String(decoding: decoded[..<parameters], as: UTF8.self)
        return name.isEmpty || isDots(name) ? nil : name
    }

    /// Whether every server reads it as itself (RFC 3986 §2.3).
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func isDots(_ name: String) -> Bool { name == "." || name == ".." }

    private static func decoded(_ raw: ArraySlice<UInt8>) -> [UInt8]? {
        guard raw.contains(UInt8(ascii: "%")) else { return Array(raw) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(raw.count)
        var rest = raw
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
        return decoded
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
