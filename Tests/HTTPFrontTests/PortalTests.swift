import Foundation
import GatehouseKit
import Testing
import Wire

@testable import HTTPFront

struct PortalTests {
    @Test(arguments: ["/sign-in", "/setup", "/recover"])
    func `a page has no gaps, is not kept and loads nothing from elsewhere`(path: String) async throws {
        let page = try await FrontDesk(name: "A & B").get(path)
        #expect(page.status == 200)
        #expect(page.header("Cache-Control") == "no-store")
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        let policy = try #require(page.header("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "))
        #expect(policy.hasSuffix("form-action 'self'; base-uri 'none'; frame-ancestors 'none'"))
        #expect(!page.text.contains("{{"))
        #expect(page.text.contains("A &amp; B"))
        #expect(!page.text.contains("://"))
    }

    @Test func `only what differs from visit to visit is filled in on request`() throws {
        let gaps = try FrontDesk().portal.pages.gaps
        #expect(gaps.sorted() == ["error", "identifier", "pending", "returnTo", "secondFactor"])
    }

    @Test func `the catalog has every key that scripts and pages name`() {
        let sources = [
            PackageResources.account_js, PackageResources.api_js, PackageResources.link_js,
            PackageResources.signin_js, PackageResources.stepup_js, PackageResources.ui_js,
        ]
        let named = sources.flatMap { source in
            String(decoding: source, as: UTF8.self).matches(of: /text(?:\["([\w.-]+)"\]|\.(\w+))/)
                .map { String($0.1 ?? $0.2 ?? "") }
        }
        #expect(named.count > 40)
        for key in named where !["js", "textContent"].contains(key) {
            #expect(PortalText.english.words[key] != nil, "\(key)")
        }
    }

    @Test func `the account page is for who may be signed in`() async throws {
        let desk = try FrontDesk()
        let stranger = await desk.get("/account")
        #expect(stranger.status == 302)
        #expect(stranger.header("Location") == "https://login.example.com/sign-in")
        let token = String(repeating: "A", count: 43)
        let visitor = await desk.get("/account", (name: "Cookie", value: "__Host-gatehouse=\(token)"))
        #expect(visitor.status == 200)
    }

    @Test func `a return address stands in the page only if people may be sent there`() async throws {
        let desk = try FrontDesk()
        let good = await desk.get("/sign-in?return_to=https%3A%2F%2Fapp.example.com%2Fa%3Fb%3D%2522c")
        #expect(good.text.contains(#"name="return_to" value="https://app.example.com/a?b=%22c""#))
        #expect(good.header("Content-Security-Policy")?.contains("form-action 'self' https://app.example.com;") == true)
        for address in [
            "https://evil.example", "javascript:alert(1)", "//app.example.com", "https://app.example.com:1/",
        ] {
            let page = await desk.get("/sign-in?return_to=\(address)")
            #expect(page.text.contains(#"name="return_to" value="""#), "\(address)")
            #expect(page.header("Content-Security-Policy")?.contains("form-action 'self';") == true)
        }
    }

    @Test func `assets lie under one digest and are kept for ever`() async throws {
        let desk = try FrontDesk()
        let page = await desk.get("/sign-in").text
        let paths = page.matches(of: /"(\/assets\/[^"]+)"/).map { String($0.1) }
        #expect(paths.count >= 4)
        for path in Set(paths) {
            let asset = await desk.get(path)
            #expect(asset.status == 200, "\(path)")
            #expect(asset.header("Cache-Control") == "public, max-age=31536000, immutable")
        }
        #expect(await desk.get("/assets/another/portal.css").status == 404)
    }

    @Test func `an unknown address is a page for a browser and a problem for a program`() async throws {
        let desk = try FrontDesk()
        let page = await desk.get("/nowhere", (name: "Accept", value: "text/html,*/*;q=0.8"))
        #expect(page.status == 404)
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        let problem = await desk.get("/nowhere", (name: "Accept", value: "*/*"))
        #expect(problem.header("Content-Type") == "application/problem+json")
    }
}

struct FormSignInTests {
    private let form = "identifier=lee&password=correct+horse+battery+staple"

    @Test func `a good password leads to the account page`() async throws {
        let desk = try FrontDesk()
        try desk.add("lee")
        let answer = await desk.send(form + "&return_to=")
        #expect(answer.status == 303)
        #expect(answer.header("Location") == "https://login.example.com/account")
        #expect(answer.header("Set-Cookie")?.hasPrefix("__Host-gatehouse=") == true)
    }

    @Test(arguments: [
        ("https%3A%2F%2Fapp.example.com%2Fa%3Fb", "https://app.example.com/a?b"),
        ("https%3A%2F%2Fevil.example%2F", "https://login.example.com/account"),
    ])
    func `a return address is honoured if people may be sent there`(address: String, location: String) async throws {
        let desk = try FrontDesk()
        try desk.add("lee")
        let answer = await desk.send("\(form)&return_to=\(address)")
        #expect(answer.header("Location") == location)
    }

    @Test func `a wrong password brings the page back with what was typed but the password`() async throws {
        let desk = try FrontDesk()
        let answer = await desk.send(
            "identifier=%3Cb%3E&password=not+the+right+one&return_to=https%3A%2F%2Fapp.example.com%2F"
        )
        #expect(answer.status == 401)
        #expect(answer.header("Content-Type") == "text/html; charset=utf-8")
        #expect(answer.header("Set-Cookie") == nil)
        #expect(answer.text.contains(#"value="&lt;b&gt;""#))
        #expect(answer.text.contains(#"value="https://app.example.com/""#))
        #expect(answer.text.contains("don’t match"))
        #expect(!answer.text.contains("not the right one"))
    }

    @Test func `too many attempts say how long to wait`() async throws {
        let desk = try FrontDesk(free: 1)
        try desk.add("lee")
        for _ in 0..<2 { _ = await desk.send("identifier=lee&password=not+the+right+one") }
        let answer = await desk.send(form)
        #expect(answer.status == 429)
        #expect(answer.header("Retry-After") != nil)
        #expect(answer.text.contains("Too many attempts. Wait "))
    }

    @Test(arguments: [nil, "https://evil.example", "null"])
    func `a form of another site is refused`(origin: String?) async throws {
        let desk = try FrontDesk()
        try desk.add("lee")
        let answer = await desk.send(form, from: origin)
        #expect(answer.status == 403)
        #expect(answer.header("Set-Cookie") == nil)
    }

    @Test(arguments: [
        "", "identifier=lee", "identifier=lee&identifier=kim&password=x", "identifier=%zz&password=x",
        "identifier=%FF&password=x",
    ])
    func `what is not the form is refused`(body: String) async throws {
        #expect(try await FrontDesk().send(body).status == 400)
    }

    @Test func `JSON is not the form`() async throws {
        let headers = [
            (name: "Content-Type", value: "application/json"),
            (name: "Origin", value: FrontDesk.origin.description),
        ]
        let request = HTTPRequest(.post, "/sign-in", headers: headers, body: Array("{}".utf8))
        #expect(try await FrontDesk().answer(request).status == 415)
    }
}
