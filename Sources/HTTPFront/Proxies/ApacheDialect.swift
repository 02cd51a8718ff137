import GatehouseCore

/// Apache's httpd, which asks by the script `apache-auth.lua`.
///
/// A redirect is a 401 with `Location`, as for nginx; the script makes a redirect of it.
enum ApacheDialect: ProxyDialect {
    static let path = "/auth/apache"

    static func target(of request: HTTPRequest) throws(UnreadableHeader) -> OriginalRequest {
        try OriginalRequest(forwardedTo: request)
    }

    static func redirectStatus(for method: String) -> Int { 401 }
}
