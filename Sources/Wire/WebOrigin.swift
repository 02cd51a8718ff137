/// Scheme, host and port of a web address (RFC 6454 §4), in the one spelling that browsers send.
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    public let scheme: Scheme
    /// Lower case, without a trailing dot; IPv6 in brackets.
    public let host: String
    /// `nil` for the scheme's own port.
    public let port: UInt16?

    public enum Scheme: String, Sendable {
        case http
        case https

        public var defaultPort: UInt16 { self == .https ? 443 : 80 }
    }

    public init(scheme: Scheme, host: String, port: UInt16?) {
        self.scheme = scheme
        self.host = host
        self.port = port == scheme.defaultPort ? nil : port
    }

    /// - Returns: `nil` unless `text` is exactly an origin: no path, not even a slash, no query, no user.
    public init?(_ text: some StringProtocol) {
        guard let url = WebURL(text), url.target == "/", !text.hasSuffix("/"), !text.contains("?") else { return nil }
        self = url.origin
    }

    public var description: String { "\(scheme.rawValue)://\(host)" + (port.map { ":\($0)" } ?? "") }

    /// Whether the host is this machine, where browsers allow http and WebAuthn.
    public var isLocalhost: Bool { host == "localhost" || host.hasSuffix(".localhost") }
}

/// An absolute http or https address, parsed without the leniency of browsers.
///
/// What browsers would repair is refused here: backslashes, control characters, spaces, missing slashes, user
/// information, percent signs in the host. Two parsers can then not disagree on where it leads.
public struct WebURL: Hashable, Sendable, CustomStringConvertible {
    public let origin: WebOrigin
    /// Path and query exactly as sent; at least `/`.
    public let target: String

    public static let maximumByteCount = 8_192

    public init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.maximumByteCount, text.utf8.allSatisfy(Self.isAllowed),
            !text.utf8.prefix(while: { $0 != UInt8(ascii: "?") }).contains(UInt8(ascii: "\\")),
            let colon = text.range(ofFirst: "://"),
            let scheme = WebOrigin.Scheme(rawValue: text[..<colon.lowerBound].lowercased())
        else { return nil }
        let rest = text[colon.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        guard let (host, port) = Self.authority(rest[..<end]), !rest[end...].contains("#") else { return nil }
        origin = WebOrigin(scheme: scheme, host: host, port: port)
        target = (rest[end...].hasPrefix("/") ? "" : "/") + rest[end...]
    }

    public var description: String { origin.description + target }

    /// The part before the query.
    public var path: Substring { target.prefix { $0 != "?" } }

    /// Printable ASCII without what browsers escape everywhere; they leave the backslash alone in a query.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "<")
            && byte != UInt8(ascii: ">")
    }

    /// Splits and checks `host[:port]`.
    public static func authority(_ text: some StringProtocol) -> (host: String, port: UInt16?)? {
        let text = Substring(text)
        let hostEnd: Substring.Index
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { return nil }
            hostEnd = text.index(after: close)
        } else {
            hostEnd = text.firstIndex(of: ":") ?? text.endIndex
        }
        guard let host = HostName.normalized(text[..<hostEnd]) else { return nil }
        if hostEnd == text.endIndex { return (host, nil) }
        let digits = text[hostEnd...].dropFirst()
        guard text[hostEnd] == ":", (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let port = UInt16(digits),
            port > 0
        else { return nil }
        return (host, port)
    }
}

/// A host as it stands in a URL or a `Host` header.
public enum HostName {
    /// Lower case and without a trailing dot.
    ///
    /// - Returns: `nil` for anything but a DNS name of letters, digits, hyphens and underscores, an IPv4 address or a
    ///   bracketed IPv6 address. International names arrive as A-labels.
    public static func normalized(_ text: some StringProtocol) -> String? {
        if text.hasPrefix("["), text.hasSuffix("]"), text.utf8.count > 2 {
            return IPAddress(String(text.dropFirst().dropLast())).map { "[\($0)]" }
        }
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        guard (1...253).contains(name.utf8.count) else { return nil }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy({ (1...63).contains($0.count) && $0.allSatisfy(isLabelByte) }) else { return nil }
        return name.lowercased()
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

extension StringProtocol {
    fileprivate func range(ofFirst needle: StaticString) -> Range<Index>? {
        let needle = needle.description
        guard let first = needle.first else { return nil }
        var start = startIndex
        while let candidate = self[start...].firstIndex(of: first) {
            if self[candidate...].hasPrefix(needle) {
                return candidate..<index(candidate, offsetBy: needle.count)
            }
            start = index(after: candidate)
        }
        return nil
    }
}
