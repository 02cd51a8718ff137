import Testing

@testable import HTTPFront

struct RequestHeadTests {
    @Test(arguments: [
        "/", "/a%2Fb%2e%2e/c%00zz", "/a/../b", "//x", "/%", "/%zz", "/a?b=%26&c=d+e&&=", "/?", "?", "/a?b?c", "*",
        "http://other.example/x?y", "/é",
    ])
    func `the target arrives exactly as it was sent`(target: String) throws {
        let server = try TestServer()
        #expect(try server.reply(to: "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").body == target)
    }

    @Test func `a query with more parts than fit as records is only text`() throws {
        let server = try TestServer()
        let target = "/?" + String(repeating: "a&", count: 4_000)
        #expect(try server.reply(to: "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").body == target)
    }

    @Test(arguments: [
        [UInt8](arrayLiteral: 0x2F, 0x00, 0x61), [0x2F, 0x00], [0x2F, 0x09, 0x61], [0x2F, 0x20, 0x61], [0x2F, 0x01],
        [0x2F, 0x7F], [0x2F, 0xFF], [0x2F, 0xC3], [0x2F, 0x0D, 0x61], [0x2F, 0x3F, 0x00, 0x61],
    ])
    func `a target that isn't text without white space is refused`(target: [UInt8]) throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(Array("GET ".utf8) + target + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        #expect(try client.reply().status == 400)
        #expect(server.answersGoodRequest())
    }

    @Test func `a target above the limit is refused, one at the limit is served`() throws {
        let server = try TestServer()
        let longest = "/" + String(repeating: "a", count: 8 * 1_024 - 1)
        #expect(try server.reply(to: "GET \(longest) HTTP/1.1\r\nHost: a\r\n\r\n").body == longest)
        #expect(try server.reply(to: "GET \(longest)a HTTP/1.1\r\nHost: a\r\n\r\n").status == 400)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 4\r\n\r\nabcd",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n\tfolded\r\nY: c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX y: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: b\u{0}c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX\u{0}: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\u{0}X: b\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /  HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
        "G{T / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GE\u{0}T / HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
    func `a request that two readers could read differently is refused`(request: String) throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(request)
        let reply = try client.reply()
        #expect(reply.status == 400)
        #expect(reply.endsConnection)
        #expect(!client.everything().contains(" 200 "))
        #expect(server.answersGoodRequest())
    }

    @Test(arguments: [
        "GET /ok HTTP/1.1\r\nhost:a\r\n\r\n",
        "GET /ok HTTP/1.1\r\nHost:  \t a \t \r\n\r\n",
        "GET /ok HTTP/1.1\r\nHost:\r\n\r\n",
        "\r\nGET /ok HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /ok HTTP/1.0\r\n\r\n",
        "GET /ok HTTP/1.0\r\nHost: a\r\n\r\n",
        "POST /ok HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
        "POST /ok HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
        "POST /ok HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n",
        "PURGE /ok HTTP/1.1\r\nHost: a\r\nCookie: a=b; c=d\r\nX-Empty:\r\n\r\n",
    ])
    func `its unambiguous neighbours are served`(request: String) throws {
        let server = try TestServer()
        let reply = try server.reply(to: request)
        #expect(reply.status == 200)
        #expect(reply.body == "/ok")
    }

    @Test func `a header is found in any case, trimmed, and only if it is one`() throws {
        let server = try TestServer(
            StubResponder { request in
                let names: [StaticString] = ["x-one", "X-TWO", "X-Bad", "X-UTF", "X-No", "X-Tab"]
                return .now(.text(names.map { "\(request.header($0))" }.joined(separator: "|")))
            }
        )
        let client = try server.client()
        client.send("GET / HTTP/1.1\r\nHost: a\r\nX-One:  b c  \r\nX-Two: 1\r\nx-two: 1\r\n")
        client.send("X-Bad: \u{1}\r\nX-Tab: a\tb\r\nX-UTF: ")
        client.send([0xC3, 0x28] + Array("\r\n\r\n".utf8))
        #expect(try client.reply().body == #"one("b c")|several|malformed|malformed|absent|one("a\tb")"#)
    }

    @Test func `every request has an ID of its own`() throws {
        let server = try TestServer(StubResponder { .now(.text($0.requestID)) })
        let client = try server.client()
        var ids: Set<String> = []
        for _ in 0..<10 {
            client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-ID: mine\r\n\r\n")
            ids.insert(try client.reply().body)
        }
        ids.insert(try server.reply(to: "GET / HTTP/1.1\r\nHost: a\r\n\r\n").body)
        #expect(ids.count == 11)
        #expect(ids.allSatisfy { $0.utf8.count == 22 })
    }

    @Test func `the peer is known`() throws {
        let server = try TestServer(StubResponder { .now(.text("\($0.peer)")) })
        #expect(try server.reply(to: "GET / HTTP/1.1\r\nHost: a\r\n\r\n").body == "address(127.0.0.1)")
    }
}
