import GatehouseCore
import Wire

/// Envoy's `ext_authz` filter with an HTTP service.
///
/// It repeats the request line and `Host` of what it asks about, with a prefix before the path. Only 200 lets pass; any
/// other answer below 500 goes to the visitor (`envoy.extensions.filters.http.ext_authz.v3.HttpService`).
enum EnvoyDialect: ProxyDialect {
    static let path = "/auth/envoy"

    static func isAsked(by target: String) -> Bool { target.hasPrefix(path + "/") }

    static func target(of request: HTTPRequest) throws(UnreadableHeader) -> OriginalRequest {
        let host = try request.required("Host")
        guard WebURL.authority(host) != nil else { throw UnreadableHeader("Host") }
        let original = request.target.dropFirst(path.utf8.count)
        guard let url = WebURL("\(try request.forwardedScheme())://\(host)\(original)") else {
            throw UnreadableHeader("path")
        }
        return try OriginalRequest(method: request.method.name, url: url, from: "path", asking: request)
    }
}
