import GatehouseCore

/// Traefik's ForwardAuth and Caddy's `forward_auth`, which pass any answer but 2xx on to the visitor.
enum ForwardDialect: ProxyDialect {
    static let path = "/auth/forward"

    static func target(of request: HTTPRequest) throws(UnreadableHeader) -> OriginalRequest {
        try OriginalRequest(forwardedTo: request)
    }
}
