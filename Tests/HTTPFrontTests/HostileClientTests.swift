import Testing

@testable import HTTPFront

/// Input that no client means: the server lives, closes, and serves others meanwhile.
struct HostileClientTests {
    private static let clientHello: [UInt8] =
        [0x16, 0x03, 0x01, 0x00, 0xC8, 0x01, 0x00, 0x00, 0xC4, 0x03, 0x03] + [UInt8](repeating: 0x5A, count: 32)
        + [0x00, 0x00, 0x02, 0x13, 0x01, 0x01, 0x00]

    @Test(arguments: [
        clientHello, [0x00], [UInt8](repeating: 0x00, count: 100_000), [UInt8](repeating: 0xFF, count: 100_000),
        Array("\r\n\r\n\r\n\r\n".utf8), Array("GET\r\n\r\n".utf8), Array("GET /\r\n\r\n".utf8),
        Array(" / HTTP/1.1\r\nHost: a\r\n\r\n".utf8), Array("GET / HTTP/2.0\r\nHost: a\r\n\r\n".utf8),
        Array("GET / HTTP/0.9\r\nHost: a\r\n\r\n".utf8), Array("GET / HTTP/1.9999\r\nHost: a\r\n\r\n".utf8),
        Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8), Array(":\r\n:\r\n\r\n".utf8),
        Array("GET / HTTP/1.1\r\nno colon here\r\n\r\n".utf8),
        Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n".utf8),
    ])
    func `bytes that are no request don't reach the responder`(bytes: [UInt8]) throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(bytes)
        #expect(server.answersGoodRequest())
        client.finishSending()
        #expect(!client.everything().hasPrefix("HTTP/1.1 2"))
        #expect(server.answersGoodRequest())
    }

    @Test func `random bytes don't either`() throws {
        let server = try TestServer()
        var generator = SystemRandomNumberGenerator()
        let clients = try (0..<200).map { _ in
            let client = try server.client()
            client.send((0..<Int.random(in: 1...300)).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
            client.finishSending()
            return client
        }
        for client in clients { #expect(!client.everything().hasPrefix("HTTP/1.1 2")) }
        #expect(server.answersGoodRequest())
    }

    @Test func `a good request with any one byte changed is answered or refused`() throws {
        let server = try TestServer(StubResponder { .now(.text(String(decoding: $0.body, as: UTF8.self))) })
        let good = Array("POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nCookie: a=b\r\n\r\nabc".utf8)
        var clients: [RawClient] = []
        for index in good.indices {
            for byte in [0x00, 0x0A, 0x0D, 0x20, 0x3A, 0x80, 0xFF] as [UInt8] {
                var bad = good
                bad[index] = byte
                clients.append(try server.client())
                clients.last?.send(bad)
                clients.last?.finishSending()
            }
        }
        for client in clients { _ = client.everything() }
        #expect(try server.reply(to: String(decoding: good, as: UTF8.self)).body == "abc")
    }

    @Test(arguments: ["a:\r\n", "a: b\r\n", "Cookie: a=b;c=d\r\n", " x\r\n"])
    func `300,000 headers are cut short`(line: String) throws {
        let server = try TestServer()
        let client = try server.client()
        client.send("GET / HTTP/1.1\r\nHost: a\r\n")
        let lines = String(repeating: line, count: 1_000)
        for _ in 0..<300 where !client.send(lines) { break }
        #expect(server.answersGoodRequest())
        let reply = client.everything()
        #expect(reply.isEmpty || reply.hasPrefix("HTTP/1.1 431") || reply.hasPrefix("HTTP/1.1 400"))
        #expect(server.answersGoodRequest())
    }

    @Test func `connections that come and go leave nothing behind`() throws {
        var limits = HTTPLimits()
        limits.connections = 20
        let server = try TestServer(limits: limits)
        for _ in 0..<500 { _ = try server.client() }
        try eventually { server.answersGoodRequest() }
    }
}
