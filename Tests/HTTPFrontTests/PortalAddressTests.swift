import GatehouseCore
import GatehouseKit
import Testing
import Wire

@testable import HTTPFront

struct PortalAddressTests {
    private static let main = PortalAddress(
        WebOrigin(scheme: .https, host: "login.example.com", port: nil),
        isMain: true,
        cookieDomain: "example.com"
    )
    private static let net = PortalAddress(
        WebOrigin(scheme: .https, host: "login.example.net", port: nil),
        isMain: false,
        cookieDomain: "example.net"
    )
    private static let desk = PortalAddress(
        WebOrigin(scheme: .https, host: "desk.example.org", port: nil),
        isMain: false
    )
    private let all = PortalAddresses(main: main, others: [net, desk])

    @Test(arguments: [
        ("example.net", net), ("app.example.net", net), ("a.b.example.net", net), ("desk.example.org", desk),
        ("app.example.com", main), ("anexample.net", main), ("example.net.evil.test", main),
        ("app.desk.example.org", main),
        ("example.org", main), ("net", main), ("", main),
    ])
    func `a host is served where its cookie comes from, and by the main one where none does`(
        host: String,
        address: PortalAddress
    ) {
        #expect(all.serving(host) === address)
    }

    @Test func `a token is another one in each realm, and goes by itself in the main one`() throws {
        let token = SessionToken.random(in: Self.net.cookie.realm)
        let digests = try [Self.main, Self.net, Self.desk].map { address in
            try #require(SessionToken(untrusted: token.text, in: address.cookie.realm)).digest
        }
        #expect(Set(digests).count == 3 && digests[1] == token.digest)
        #expect(SessionToken(untrusted: token.text)?.digest == digests[0])
    }

    @Test func `people return to hosts that their own address serves`() throws {
        let settings = FrontSettings(
            portals: all,
            trustedProxies: TrustedProxies(networks: [], unixSocket: false),
            isCovered: { $0.hasPrefix("app.") },
            name: "Example",
            attemptsPerMinute: 1
        )
        let urls = ["https://app.example.com/", "https://app.example.net/", "https://www.example.net/"]
        #expect(urls.map { settings.returnURL($0) != nil } == [true, false, false])
        #expect(urls.map { settings.at(Self.net).returnURL($0) != nil } == [false, true, false])
        #expect(settings.at(Self.net).returnURL("https://login.example.net/account") != nil)
        #expect(settings.at(Self.net).returnURL("https://login.example.com/account") == nil)
    }
}
