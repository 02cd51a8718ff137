import GatehouseKit
import Wire

/// Keeps other sites' pages from acting in a visitor's name, with a cookie or without.
struct RequestGuard: Sendable {
    let settings: FrontSettings

    /// - Throws: ``Refusal`` with `cross_site_request`.
    ///
    /// Browsers say where a request comes from in `Origin`, or at least in `Sec-Fetch-Site`; a request with neither comes
    /// from no browser (Fetch Metadata, OWASP "Cross-Site Request Forgery Prevention").
    func checkSite(_ request: HTTPRequest) throws(Refusal) {
        switch request.header("Origin") {
        case .one(let origin):
            guard settings.allows(origin: origin) else { throw Self.crossSite }
        case .absent:
            switch request.header("Sec-Fetch-Site") {
            case .absent, .one("same-origin"), .one("none"): break
            default: throw Self.crossSite
            }
        case .several, .malformed: throw Self.crossSite
        }
    }

    private static let crossSite = Refusal(.crossSiteRequest, "the request came from another site")

    /// Whether a page in a browser sent it.
    static func isFromBrowser(_ request: HTTPRequest) -> Bool {
        request.header("Origin") != .absent || request.header("Sec-Fetch-Site") != .absent
    }

    /// What lets an allow-listed page of the same site read the answer.
    func corsHeaders(for request: HTTPRequest) -> [(String, String)] {
        guard case .one(let origin) = request.header("Origin"), origin != settings.publicOrigin.description,
            settings.allows(origin: origin)
        else { return [] }
        return [
            ("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Credentials", "true"), ("Vary", "Origin"),
        ]
    }

    /// The answer to a preflight (Fetch standard, "CORS-preflight request"); `nil` if it is none that we grant.
    func preflight(_ request: HTTPRequest) -> HTTPResponse? {
        guard request.method == .options, request.header("Access-Control-Request-Method") != .absent else { return nil }
        let granted = corsHeaders(for: request)
        guard !granted.isEmpty else { return nil }
        return HTTPResponse(
            204,
            headers: granted + [
                ("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE"),
                ("Access-Control-Allow-Headers", "Content-Type, Authorization"),
                ("Access-Control-Max-Age", "600"),
            ]
        )
    }

    /// Whether the body is what it must be.
    static func isJSON(_ request: HTTPRequest) -> Bool { mediaType(of: request) == "application/json" }

    static func isForm(_ request: HTTPRequest) -> Bool {
        mediaType(of: request) == "application/x-www-form-urlencoded"
    }

    private static func mediaType(of request: HTTPRequest) -> String? {
        guard case .one(let value) = request.header("Content-Type") else { return nil }
        return value.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
}
