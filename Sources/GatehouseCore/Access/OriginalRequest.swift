public import Wire

/// The request that a reverse proxy asks about.
public struct OriginalRequest: Equatable, Sendable {
    public let method: String
    /// Lower case, without a port.
    public let host: String
    public let path: RequestPath
    /// As the visitor's browser would ask for it again.
    public let url: WebURL
    /// Whether it carries `Origin` and `Access-Control-Request-Method`.
    public let isPreflight: Bool
    /// Where it comes from; `nil` where that can't be said, or no rule asks.
    public let address: IPAddress?

    public init(method: String, url: WebURL, path: RequestPath, isPreflight: Bool, address: IPAddress? = nil) {
        self.method = method
        self.url = url
        host = url.origin.host
        self.path = path
        self.isPreflight = isPreflight
        self.address = address
    }

    /// A request as somebody describes it.
    ///
    /// - Parameter url: Absolute, http or https.
    /// - Returns: `nil` for one that a check refuses before any rule: see ``isMethod(_:)`` and `RequestPath`.
    public init?(asking url: String, method: String, isPreflight: Bool = false, address: IPAddress? = nil) {
        guard Self.isMethod(method), let url = WebURL(url), let path = RequestPath(url.target) else { return nil }
        self.init(
            method: method,
            url: url,
            path: path,
            isPreflight: isPreflight && method == "OPTIONS",
            address: address
        )
    }

    public func coming(from address: IPAddress?) -> OriginalRequest {
        guard address != self.address else { return self }
        return OriginalRequest(method: method, url: url, path: path, isPreflight: isPreflight, address: address)
    }

    /// Whether it is a plain name of a method: 1 to 32 capital letters.
    public static func isMethod(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy { (65...90).contains($0) }
    }
}
