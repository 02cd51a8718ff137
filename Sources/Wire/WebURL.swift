/// An absolute http or https address, parsed without the leniency of browsers.
///
/// What browsers would repair is refused here: backslashes before the query, control characters, spaces, missing slashes,
/// user information, percent signs in the host, fragments. Two parsers can then not disagree on where it leads.
public struct WebURL: Hashable, Sendable, CustomStringConvertible {
    public let origin: WebOrigin
    /// Path and query exactly as sent; at least `/`.
    public let target: String

    public static let maximumByteCount = 8_192

    public init?(_ text: some StringProtocol) { self.init(utf8: Array(text.utf8)) }

    private init?(utf8 bytes: [UInt8]) {
        guard bytes.count <= Self.maximumByteCount, Self.areAllowed(bytes), let scheme = Self.scheme(of: bytes) else {
            return nil
        }
        let start = scheme.rawValue.utf8.count + 3
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
        guard let (host, port) = Self.authority(bytes[start..<end]) else { return nil }
        origin = WebOrigin(scheme: scheme, host: host, port: port)
        let hasPath = end < bytes.count && bytes[end] == UInt8(ascii: "/")
        target = (hasPath ? "" : "/") + String(decoding: bytes[end...], as: UTF8.self)
    }

    public var description: String { origin.description + target }

    /// Printable ASCII without what browsers escape everywhere; they leave the backslash alone in a query.
    private static func areAllowed(_ bytes: [UInt8]) -> Bool {
        var isQuery = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "#"): return false
            case UInt8(ascii: "\\"): if !isQuery { return false }
            case UInt8(ascii: "?"): isQuery = true
            case 0x21...0x7E: break
            default: return false
            }
        }
        return true
    }

    private static func scheme(of bytes: [UInt8]) -> WebOrigin.Scheme? {
        if begins(bytes, with: "https://") { return .https }
        return begins(bytes, with: "http://") ? .http : nil
    }

    /// Whether the bytes begin with `prefix`, which is in lower case, in any case.
    private static func begins(_ bytes: [UInt8], with prefix: StaticString) -> Bool {
        let prefix = prefix.description.utf8
        guard bytes.count >= prefix.count else { return false }
        return zip(bytes, prefix).allSatisfy { $0 == $1 || ($0 | 0x20 == $1 && (65...90).contains($0)) }
    }

    /// Splits and checks `host[:port]`.
    public static func authority(_ text: some StringProtocol) -> (host: String, port: UInt16?)? {
        authority(Array(text.utf8)[...])
    }

    private static func authority(_ bytes: ArraySlice<UInt8>) -> (host: String, port: UInt16?)? {
        let isBracketed = bytes.first == UInt8(ascii: "[")
        let mark = bytes.firstIndex(of: UInt8(ascii: isBracketed ? "]" : ":"))
        let hostEnd = isBracketed ? mark.map { $0 + 1 } : mark ?? bytes.endIndex
        guard let hostEnd, let host = HostName.normalized(bytes[..<hostEnd]) else { return nil }
        let rest = bytes[hostEnd...]
        guard !rest.isEmpty else { return (host, nil) }
        guard rest.first == UInt8(ascii: ":"), let port = port(rest.dropFirst()) else { return nil }
        return (host, port)
    }

    private static func port(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard (1...5).contains(digits.count) else { return nil }
        var value: UInt32 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + UInt32(digit - UInt8(ascii: "0"))
        }
        return value > 0 ? UInt16(exactly: value) : nil
    }
}

/// A host as it stands in a URL or a `Host` header.
public enum HostName {
    /// Lower case and without a trailing dot.
    ///
    /// - Returns: `nil` for anything but a DNS name of letters, digits, hyphens and underscores, an IPv4 address or a
    ///   bracketed IPv6 address. International names arrive as A-labels.
    public static func normalized(_ text: some StringProtocol) -> String? { normalized(Array(text.utf8)[...]) }

    /// Whether it is a DNS name in its one spelling, and no address.
    public static func isDomain(_ text: String) -> Bool {
        normalized(text) == text && !text.hasPrefix("[") && IPAddress(text) == nil
    }

    /// Whether a host is a domain or lies below it, each in its one spelling.
    public static func isWithin(_ host: String, _ domain: String) -> Bool {
        host == domain || host.hasSuffix("." + domain)
    }

    static func normalized(_ bytes: ArraySlice<UInt8>) -> String? {
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]"), bytes.count > 2 {
            let address = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
            return IPAddress(address).map { "[\($0)]" }
        }
        let name = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
        guard (1...253).contains(name.count) else { return nil }
        var lowered: [UInt8] = []
        lowered.reserveCapacity(name.count)
        var labelLength = 0
        for byte in name {
            if byte == UInt8(ascii: ".") {
                guard labelLength > 0 else { return nil }
                labelLength = 0
            } else {
                guard isLabelByte(byte), labelLength < 63 else { return nil }
                labelLength += 1
            }
            lowered.append((65...90).contains(byte) ? byte | 0x20 : byte)
        }
        return labelLength > 0 ? String(decoding: lowered, as: UTF8.self) : nil
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
