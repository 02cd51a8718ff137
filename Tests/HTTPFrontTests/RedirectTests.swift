import GatehouseKit
import GatehouseTesting
import Testing
import Wire

@testable import HTTPFront

struct RedirectTests {
    private let ceremony = CeremonyID.random()
    private let browser = BrowserKey.random()

    @Test func `a state is of one ceremony and one browser`() throws {
        let state = RedirectState.of(ceremony, in: browser)
        let back = try #require(RedirectState(untrusted: state.text))
        #expect(back == state && back.ceremony == ceremony && back.isOf(browser))
        #expect(!back.isOf(.random()))
        let other = RedirectState.of(.random(), in: browser)
        let mixed = "\(ceremony.text).\(other.text.split(separator: ".")[1])"
        #expect(try #require(RedirectState(untrusted: mixed)).isOf(browser) == false)
        #expect(try #require(RedirectState(untrusted: "\(ceremony.text).")).isOf(browser) == false)
    }

    @Test func `exactly one route takes forms from other sites, and one method`() throws {
        let exempt = try FrontDesk().responder.table.routes.filter { route in
            if case .job(let job) = route.action { job.content == .foreignForm } else { false }
        }
        #expect(exempt.map { "\($0.method.name) \($0.path)" } == ["POST /apple/callback"])
    }

    @Test func `over https the cookie's name holds the browser to its attributes`() throws {
        let cookie = try cookie()
        let value = cookie.setting(browser, for: .seconds(300)).1
        let attributes = "; Path=/apple/callback; Secure; HttpOnly; SameSite=None; Max-Age="
        #expect(value == "__Secure-gatehouse-apple=\(browser.text)\(attributes)300")
        #expect(cookie.clearing.1 == "__Secure-gatehouse-apple=\(attributes)0")
    }

    @Test func `only one cookie of the very name is read`() throws {
        let cookie = try cookie()
        let pair = "\(cookie.name)=\(browser.text)"
        let keys = [
            pair, "a=b; \(pair)", "\(pair); \(pair)", "\(pair)A", "x\(pair)", "gatehouse-apple=\(browser.text)",
        ]
        .map { cookie.key(in: HTTPRequest(.post, "/apple/callback", headers: [(name: "Cookie", value: $0)]))?.bytes }
        #expect(keys == [browser.bytes, browser.bytes, nil, nil, nil, nil])
        #expect(cookie.key(in: HTTPRequest(.post, "/apple/callback", headers: []))?.bytes == nil)
    }

    private func cookie() throws -> StateCookie {
        StateCookie(settings: try FrontDesk().portal.settings, kind: .apple, callback: "/apple/callback")
    }
}
