import Testing
import Wire

struct WebURLTests {
    @Test(arguments: [
        ("https://app.example.test", "https://app.example.test/"),
        ("HTTPS://APP.Example.Test:443/A?b=C", "https://app.example.test/A?b=C"),
        ("http://localhost:9091/x", "http://localhost:9091/x"),
        ("https://app.example.test.:8443?q=1", "https://app.example.test:8443/?q=1"),
        ("https://a.test/p?x=\\y", "https://a.test/p?x=\\y"),
        ("https://[2001:DB8::1]:8443/", "https://[2001:db8::1]:8443/"),
        (
            "https://a.test/p?a=1&next=https%3A%2F%2Fx.test%2F%3Fq%3D1",
            "https://a.test/p?a=1&next=https%3A%2F%2Fx.test%2F%3Fq%3D1"
        ),
    ])
    func `an address is read and put in its one spelling`(text: String, expected: String) {
        #expect(WebURL(text)?.description == expected)
    }

    @Test(arguments: [
        "//evil.test", "/\\evil.test", "https:evil.test", "https:///evil.test", "https://example.test@evil.test",
        "https://user:pw@evil.test", "javascript:alert(1)", "data:text/html,x", "https://example.test%2eevil.test",
        "http://[::1", "https://app.test:99999/", "https://app.test:0/", "https://app.test:+80/", "https://app.test:/",
        "https://app.test/ x", "https://app.test/\n", "https://a..test/", "https://", "https://app.test/#f",
        "ftp://app.test/",
        "https://app.test\\@evil.test/", "https://b\u{FC}cher.test/", "https://[fe80::1%eth0]/",
    ])
    func `what browsers would have to repair is refused`(text: String) {
        #expect(WebURL(text) == nil)
    }

    @Test(arguments: ["https://login.example.com", "http://localhost:9091"])
    func `an origin is nothing but an origin`(text: String) {
        #expect(WebOrigin(text)?.description == text)
        for tail in ["/", "/x", "?q", "#f"] { #expect(WebOrigin(text + tail) == nil) }
    }
}

struct RequestPathTests {
    @Test(arguments: [
        ("/", []), ("/admin", ["admin"]), ("//admin", ["admin"]), ("/%61dmin/", ["admin"]), ("/admin;x", ["admin"]),
        ("/a%20b/%C3%A9", ["a b", "\u{E9}"]), ("/ADMIN", ["ADMIN"]), ("/a...b/..c", ["a...b", "..c"]),
        ("/100%25", ["100%"]),
    ])
    func `spellings of one path are one path`(raw: String, segments: [String]) {
        #expect(RequestPath(raw)?.segments == segments)
    }

    @Test(arguments: [
        "", "admin", "/public/../admin", "/public/%2e%2e/admin", "/public/..%2fadmin", "/public%2f..%2fadmin",
        "/./admin",
        "/public\\..\\admin", "/public/%5c..%5cadmin", "/public/%c0%ae%c0%ae/admin", "/public/.%00./admin", "/%zz",
        "/%2",
        "/public/..;/admin", "/public/%2e;x/admin", "/;x", "/%252e%252e/admin", "/a%0Ab", "/a%7Fb",
    ])
    func `a path that servers read differently is refused`(raw: String) {
        #expect(RequestPath(raw) == nil)
    }
}

struct CookieHeaderTests {
    @Test func `a cookie is found by its exact name`() {
        let header = CookieHeader("a=1; sid=abc=d ;b=2")
        #expect(header["sid"] == .one("abc=d"))
        #expect(header["si"] == .absent)
        #expect(header["SID"] == .absent)
    }

    @Test(arguments: ["sid=A; sid=B", "sid=A; sid=A", "sid=; x=1; sid=B"])
    func `two cookies of one name are no cookie`(text: String) {
        #expect(CookieHeader(text)["sid"] == .several)
    }

    @Test func `the application's own cookies remain when ours is taken out`() {
        #expect(CookieHeader("a=1; sid=secret; b=2").removing("sid") == "a=1; b=2")
        #expect(CookieHeader("sid=secret").removing("sid") == "")
        #expect(CookieHeader("garbage; sid=s").removing("sid") == "garbage")
    }
}

struct PercentEncodingTests {
    @Test func `a component keeps nothing that could end it`() {
        #expect(
            PercentEncoding.component("https://a.test/p?a=1&b=2+é")
                == "https%3A%2F%2Fa.test%2Fp%3Fa%3D1%26b%3D2%2B%C3%A9"
        )
    }

    @Test func `a form is decoded once`() throws {
        let fields = try #require(PercentEncoding.form("name=a+b%2Bc&x=%2525&flag"))
        #expect(fields.map(\.name) == ["name", "x", "flag"])
        #expect(fields.map(\.value) == ["a b+c", "%25", ""])
    }

    @Test(arguments: ["a=%", "a=%2", "a=%zz", "a=%ff"])
    func `a broken form is refused`(text: String) {
        #expect(PercentEncoding.form(text) == nil)
    }
}
