import GatehouseCore
import GatehouseKit
import Wire

/// How one kind of reverse proxy asks, and what it makes of an answer.
protocol ProxyDialect: Sendable {
    /// The path that the proxy is configured to ask.
    static var path: String { get }

    /// The status for a check that can't be read, or comes from a peer that isn't trusted.
    static var malformedStatus: Int { get }

    /// The request that the proxy asks about.
    ///
    /// - Returns: `nil` if a header that says so is missing, stands twice or can't be parsed.
    static func target(of request: HTTPRequest) -> OriginalRequest?

    /// The status that sends a browser to the portal, along with `Location`.
    static func redirectStatus(for method: String) -> Int
}

extension ProxyDialect {
    /// 302 keeps nothing but GET; after anything else 303 says to come back with GET (RFC 9110 §15.4).
    static func redirectStatus(for method: String) -> Int { method == "GET" || method == "HEAD" ? 302 : 303 }

    static var malformedStatus: Int { 400 }
}

extension OriginalRequest {
    /// - Returns: `nil` unless the method is a plain token and the path has one meaning.
    init?(method: String, url: WebURL, asking request: HTTPRequest) {
        guard (1...32).contains(method.utf8.count), method.utf8.allSatisfy({ (65...90).contains($0) }),
            let path = RequestPath(url.path)
        else { return nil }
        self.init(
            method: method,
            url: url,
            path: path,
            isPreflight: method == "OPTIONS" && request.header("Origin") != .absent
                && request.header("Access-Control-Request-Method") != .absent
        )
    }
}

extension HTTPRequest {
    /// The value of a header that must stand exactly once and say something.
    func required(_ name: StaticString) -> String? {
        guard case .one(let value) = header(name), !value.isEmpty else { return nil }
        return value
    }
}

/// The `auth_request` module of nginx.
///
/// It passes on 2xx, 401 and 403, and turns anything else into 500 (`ngx_http_auth_request_module.c`), so a redirect is a
/// 401 whose `Location` the configuration sends, and what can't be read is 403.
enum NginxDialect: ProxyDialect {
    static let path = "/auth/nginx"
    static let malformedStatus = 403

    static func target(of request: HTTPRequest) -> OriginalRequest? {
        guard let text = request.required("X-Original-URL"), let url = WebURL(text),
            let method = request.required("X-Original-Method")
        else { return nil }
        return OriginalRequest(method: method, url: url, asking: request)
    }

    static func redirectStatus(for method: String) -> Int { 401 }
}

/// Traefik's ForwardAuth and Caddy's `forward_auth`, which pass any answer but 2xx on to the visitor.
enum ForwardDialect: ProxyDialect {
    static let path = "/auth/forward"

    static func target(of request: HTTPRequest) -> OriginalRequest? {
        guard let method = request.required("X-Forwarded-Method"), let scheme = request.required("X-Forwarded-Proto"),
            let host = request.required("X-Forwarded-Host"), let uri = request.required("X-Forwarded-Uri"),
            scheme == "http" || scheme == "https", uri.hasPrefix("/"), WebURL.authority(host) != nil,
            let url = WebURL("\(scheme)://\(host)\(uri)")
        else { return nil }
        return OriginalRequest(method: method, url: url, asking: request)
    }
}
