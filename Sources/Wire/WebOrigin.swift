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
