import GatehouseCore

/// HAProxy, which asks by the script `haproxy-auth.lua` and sends the visitor what it is answered.
enum HAProxyDialect: ProxyDialect {
    static let path = "/auth/haproxy"

    static func target(of request: HTTPRequest) throws(UnreadableHeader) -> OriginalRequest {
        try OriginalRequest(forwardedTo: request)
    }
}
