import Testing

@testable import HTTPFront

struct LimitTests {
    private func request(headerBytes: Int) -> String {
        let frame = "GET /fits HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n"
        return frame.replacing("X: ", with: "X: " + String(repeating: "x", count: headerBytes - frame.utf8.count))
    }

    @Test func `a head at the limit is served, one byte more is 431`() throws {
        let server = try TestServer()
        #expect(try server.reply(to: request(headerBytes: 16 * 1_024)).body == "/fits")
        let refused = try server.reply(to: request(headerBytes: 16 * 1_024 + 1))
        #expect(refused.status == 431)
        #expect(refused.body == "headersTooLarge")
    }

    @Test func `a head beyond the connection's memory is 431 too`() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(request(headerBytes: 200 * 1_024))
        #expect(try client.reply().status == 431)
        #expect(server.answersGoodRequest())
    }

    @Test func `a hundred headers are served, one more is 431`() throws {
        let server = try TestServer()
        func request(_ count: Int) -> String {
            "GET /many HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: count - 1) + "\r\n"
        }
        #expect(try server.reply(to: request(100)).body == "/many")
        #expect(try server.reply(to: request(101)).status == 431)
    }

    @Test func `cookies that fill half the head leave room for the answer`() throws {
        let server = try TestServer()
        let cookies = (0..<80).map { "name\($0)=" + String(repeating: "v", count: 90) }.joined(separator: "; ")
        #expect(try server.reply(to: "GET /c HTTP/1.1\r\nHost: a\r\nCookie: \(cookies)\r\n\r\n").body == "/c")
    }

    @Test func `one address gets so many connections, and a place that is left is free again`() throws {
        var limits = HTTPLimits()
        limits.connectionsPerProxy = 3
        let server = try TestServer(limits: limits)
        var clients = try (0..<3).map { _ in try server.client() }
        for client in clients {
            client.send("GET /in HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.reply().body == "/in")
        }
        let refused = try server.client()
        #expect(try refused.reply().status == 503)
        #expect(refused.isClosed)
        clients.removeLast()
        try eventually { server.answersGoodRequest() }
        for client in clients {
            client.send("GET /still HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.reply().body == "/still")
        }
    }

    @Test func `all addresses together get so many connections`() throws {
        var limits = HTTPLimits()
        limits.connections = 2
        let server = try TestServer(limits: limits)
        let clients = try (0..<2).map { _ in try server.client() }
        for client in clients {
            client.send("GET /in HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.reply().body == "/in")
        }
        let reply = try server.client().reply()
        #expect(reply.status == 503)
        #expect(reply.body == "tooManyConnections")
        #expect(reply.header("Date")?.hasSuffix(" GMT") == true)
    }
}

/// Waits for something that another thread brings about.
func eventually(_ condition: () -> Bool, location: SourceLocation = #_sourceLocation) throws {
    let end = ContinuousClock.now + .seconds(10)
    while !condition() {
        try #require(ContinuousClock.now < end, "it never came to be", sourceLocation: location)
    }
}
