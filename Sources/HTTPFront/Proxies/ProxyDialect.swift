import GatehouseCore
import GatehouseKit
import Wire

/// How one kind of reverse proxy asks, and what it makes of an answer.
protocol ProxyDialect: Sendable {
    /// The path that the proxy is configured to ask.
    static var path: String { get }

    /// Whether a request for this target is a check of this kind.
    static func isAsked(by target: String) -> Bool

    /// The status for a check that can't be read, or comes from a peer that isn't trusted.
    static var malformedStatus: Int { get }

    /// The status while somebody who guesses has to wait, along with `Retry-After`.
    static var throttledStatus: Int { get }

    /// The request that the proxy asks about.
    ///
    /// - Throws: ``UnreadableHeader`` if a header that says so is missing, stands twice or can't be parsed.
    static func target(of request: HTTPRequest) throws(UnreadableHeader) -> OriginalRequest

    /// The status that sends a browser to the portal, along with `Location`.
    static func redirectStatus(for method: String) -> Int
}

extension ProxyDialect {
    /// 302 keeps nothing but GET; after anything else 303 says to come back with GET (RFC 9110 §15.4).
    static func redirectStatus(for method: String) -> Int { method == "GET" || method == "HEAD" ? 302 : 303 }

    static var malformedStatus: Int { 400 }

    static var throttledStatus: Int { 429 }

    static func isAsked(by target: String) -> Bool {
        guard target.hasPrefix(path) else { return false }
        let next = target.utf8.dropFirst(path.utf8.count).first
        return next == nil || next == UInt8(ascii: "?")
    }
}

/// The header for which a check was refused.
struct UnreadableHeader: Error, Loggable {
    let name: StaticString

    init(_ name: StaticString) { self.name = name }

    var logText: String { name.description }
}

extension OriginalRequest {
    /// - Parameters:
    ///   - method: Must be a plain token.
    ///   - url: Its path must have one meaning.
    ///   - source: The header that the path came from.
    init(
        method: String,
        url: WebURL,
        from source: StaticString,
        asking request: HTTPRequest
    ) throws(UnreadableHeader) {
        guard Self.isMethod(method) else {
            throw UnreadableHeader("method")
        }
        guard let path = RequestPath(url.target) else { throw UnreadableHeader(source) }
        try Self.checkForwarded(request, against: url)
        self.init(
            method: method,
            url: url,
            path: path,
            isPreflight: method == "OPTIONS" && request.says("Origin") && request.says("Access-Control-Request-Method")
        )
    }

    /// The request that the four `X-Forwarded-` headers describe between them.
    init(forwardedTo request: HTTPRequest) throws(UnreadableHeader) {
        let method = try request.required("X-Forwarded-Method")
        let host = try request.required("X-Forwarded-Host")
        let uri = try request.required("X-Forwarded-Uri")
        guard WebURL.authority(host) != nil else { throw UnreadableHeader("X-Forwarded-Host") }
        guard uri.hasPrefix("/"), let url = WebURL("\(try request.forwardedScheme())://\(host)\(uri)") else {
            throw UnreadableHeader("X-Forwarded-Uri")
        }
        try self.init(method: method, url: url, from: "X-Forwarded-Uri", asking: request)
    }

    /// `Forwarded` (RFC 7239) decides nothing, but where it comes along it must not say something else.
    private static func checkForwarded(_ request: HTTPRequest, against url: WebURL) throws(UnreadableHeader) {
        let text: String
        switch request.header("Forwarded") {
        case .absent: return
        case .several, .malformed: throw UnreadableHeader("Forwarded")
        case .one(let value): text = value
        }
        for pair in text.split(whereSeparator: { $0 == ";" || $0 == "," }) {
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\"" } }
            guard parts.count == 2 else { continue }
            let isSame =
                switch parts[0].lowercased() {
                case "host": WebURL.authority(parts[1])?.host == url.origin.host
                case "proto": parts[1].lowercased() == url.origin.scheme.rawValue
                default: true
                }
            guard isSame else { throw UnreadableHeader("Forwarded") }
        }
    }
}

extension HTTPRequest {
    /// The value of a header that must stand exactly once and say something.
    func required(_ name: StaticString) throws(UnreadableHeader) -> String {
        guard case .one(let value) = header(name), !value.isEmpty else { throw UnreadableHeader(name) }
        return value
    }

    /// Whether a header stands once and says something: proxies send empty ones for what a visitor did not send.
    func says(_ name: StaticString) -> Bool {
        if case .one(let value) = header(name) { !value.isEmpty } else { false }
    }

    /// What the visitor's connection to the proxy speaks.
    func forwardedScheme() throws(UnreadableHeader) -> String {
        let scheme = try required("X-Forwarded-Proto")
        guard scheme == "http" || scheme == "https" else { throw UnreadableHeader("X-Forwarded-Proto") }
        return scheme
    }
}
