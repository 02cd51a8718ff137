import GatehouseCore
import Wire

/// The `auth_request` module of nginx.
///
/// It passes on 2xx, 401 and 403, and turns anything else into 500 (`ngx_http_auth_request_module.c`), so a redirect is a
/// 401 whose `Location` the configuration sends, and what can't be read is 403, as is who has to wait.
enum NginxDialect: ProxyDialect {
    static let path = "/auth/nginx"
    static let malformedStatus = 403
    static let throttledStatus = 403

    static func target(of request: HTTPRequest) throws(UnreadableHeader) -> OriginalRequest {
        guard let url = WebURL(try request.required("X-Original-URL")) else {
            throw UnreadableHeader("X-Original-URL")
        }
        return try OriginalRequest(
            method: try request.required("X-Original-Method"),
            url: url,
            from: "X-Original-URL",
            asking: request
        )
    }

    static func redirectStatus(for method: String) -> Int { 401 }
}
