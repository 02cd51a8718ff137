import Testing

@testable import HTTPFront

struct DeadlineTests {
    private static var short: HTTPLimits {
        var limits = HTTPLimits()
        limits.headDeadline = .milliseconds(300)
        limits.bodyDeadline = .milliseconds(300)
        limits.idleDeadline = .milliseconds(300)
        return limits
    }

    /// Sends a byte now and then until the server has had enough.
    private func drip(_ client: RawClient) {
        while !client.isReadable(within: 20), client.send("x") {}
    }

    @Test(arguments: [
        ("GET /", false), ("GET / HTTP/1.1\r\n", true), ("GET / HTTP/1.1\r\nHost: a\r\nX: ", true),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n", true),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n", true),
    ])
    func `a dripping client is cut, and others are served`(start: String, isTold: Bool) throws {
        let server = try TestServer(limits: Self.short)
        let client = try server.client()
        client.send(start)
        #expect(server.answersGoodRequest())
        drip(client)
        if isTold { #expect(try client.reply().status == 408) }
        #expect(client.isClosed)
        #expect(server.answersGoodRequest())
    }

    @Test func `a connection that says nothing is closed, before a request and after one`() throws {
        let server = try TestServer(limits: Self.short)
        #expect(try server.client().isClosed)
        let client = try server.client()
        client.send("GET /one HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.reply().body == "/one")
        #expect(client.isClosed)
    }

    @Test func `a body that comes slowly but in time is served`() throws {
        let server = try TestServer(StubResponder { .now(.text(String(decoding: $0.body, as: UTF8.self))) })
        let client = try server.client()
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n")
        for _ in 0..<10 where !client.isReadable(within: 10) { client.send("y") }
        #expect(try client.reply().body == "yyyyyyyyyy")
    }

    @Test func `a request that waits for its answer has no deadline`() throws {
        let parked = Parked()
        let server = try TestServer(limits: Self.short, StubResponder { _ in parked.reply })
        let client = try server.client()
        client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(!client.isReadable(within: 700))
        parked.resume(with: .text("at last"))
        #expect(try client.reply().body == "at last")
    }
}
