import GatehouseCore
import Testing
import Wire

@testable import HTTPFront

struct ProxyDialectTests {
    private static let dialects: [any ProxyDialect.Type] = [
        NginxDialect.self, ForwardDialect.self, EnvoyDialect.self, HAProxyDialect.self, ApacheDialect.self,
    ]

    private static let headers = [
        (name: "Host", value: "app.example.test"),
        (name: "X-Original-URL", value: "https://app.example.test/a?b=1"),
        (name: "X-Original-Method", value: "PUT"),
        (name: "X-Forwarded-Method", value: "PUT"),
        (name: "X-Forwarded-Proto", value: "https"),
        (name: "X-Forwarded-Host", value: "app.example.test"),
        (name: "X-Forwarded-Uri", value: "/a?b=1"),
    ]

    private static func request(
        _ dialect: any ProxyDialect.Type,
        _ headers: [(name: String, value: String)]
    ) -> HTTPRequest {
        let isEnvoy = dialect.path == EnvoyDialect.path
        return HTTPRequest(HTTPMethod("PUT"), isEnvoy ? "/auth/envoy/a?b=1" : dialect.path, headers: headers)
    }

    @Test(arguments: dialects.indices)
    func `one request is the same request, whichever proxy asks about it`(_ index: Int) throws {
        let dialect = Self.dialects[index]
        let target = try dialect.target(of: Self.request(dialect, Self.headers))
        #expect(target.method == "PUT" && target.host == "app.example.test")
        #expect(target.url.description == "https://app.example.test/a?b=1")
    }

    @Test(arguments: dialects.indices)
    func `a header that decides must not stand twice, even if it says the same`(_ index: Int) throws {
        let dialect = Self.dialects[index]
        let deciding = Self.headers.filter { header in
            let without = Self.headers.filter { $0.name != header.name }
            return (try? dialect.target(of: Self.request(dialect, without))) == nil
        }
        #expect(deciding.count >= 2)
        for header in deciding {
            #expect(throws: UnreadableHeader.self, "\(header.name)") {
                try dialect.target(of: Self.request(dialect, Self.headers + [header]))
            }
        }
    }

    @Test func `a browser goes to the portal by an answer that its proxy can pass on`() {
        for dialect in Self.dialects {
            let keepsRedirects = dialect.path != NginxDialect.path && dialect.path != ApacheDialect.path
            #expect(dialect.redirectStatus(for: "GET") == (keepsRedirects ? 302 : 401))
            #expect(dialect.redirectStatus(for: "POST") == (keepsRedirects ? 303 : 401))
        }
    }
}
