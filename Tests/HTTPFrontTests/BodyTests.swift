import Testing

@testable import HTTPFront

struct BodyTests {
    private static let echo = StubResponder { .now(.text(String(decoding: $0.body, as: UTF8.self))) }
    private let full = String(repeating: "b", count: 1_000)

    @Test func `a body of exactly the limit passes, announced or in chunks`() throws {
        let server = try TestServer(Self.echo)
        let announced = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n\(full)"
        #expect(try server.reply(to: announced).body == full)
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunks = "1f4\r\n\(full.prefix(500))\r\n1f4\r\n\(full.suffix(500))\r\n0\r\n\r\n"
        #expect(try server.reply(to: head + chunks).body == full)
    }

    @Test func `an announced body above the limit is refused before it is sent`() throws {
        let server = try TestServer(Self.echo)
        let reply = try server.reply(to: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n")
        #expect(reply.status == 413)
        #expect(reply.body == "bodyTooLarge")
        #expect(reply.endsConnection)
    }

    @Test func `chunks are counted as they arrive`() throws {
        let server = try TestServer(Self.echo)
        let client = try server.client()
        client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        client.send("3e8\r\n\(full)\r\n1\r\nb\r\n")
        let reply = try client.reply()
        #expect(reply.status == 413)
        #expect(reply.endsConnection)
        client.send("0\r\n\r\n")
        #expect(client.isClosed)
        #expect(try server.reply(to: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nb").body == "b")
    }

    @Test func `an endless refused upload is cut`() throws {
        let server = try TestServer(Self.echo)
        let client = try server.client()
        client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = "1000\r\n" + String(repeating: "z", count: 0x1000) + "\r\n"
        while client.send(chunk) {}
        #expect(try client.reply().status == 413)
        let control = try server.reply(to: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok")
        #expect(control.body == "ok")
    }

    @Test func `a client that waits for permission gets it, or the refusal instead`() throws {
        let server = try TestServer(Self.echo)
        let client = try server.client()
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.reply().status == 100)
        client.send("ok")
        #expect(try client.reply().body == "ok")
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.reply().status == 413)
        #expect(client.isClosed)
    }

    @Test(arguments: ["GET", "POST"])
    func `a body that is ignored isn't waited for`(method: String) throws {
        let server = try TestServer(StubResponder(policy: .ignored))
        let client = try server.client()
        client.send("\(method) /check HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n")
        let reply = try client.reply()
        #expect(reply.status == 200)
        #expect(reply.body == "/check")
        #expect(reply.endsConnection)
        #expect(client.isClosed)
    }

    @Test func `an ignored body may also be answered later`() throws {
        let parked = Parked()
        let server = try TestServer(StubResponder(policy: .ignored) { _ in parked.reply })
        let client = try server.client()
        client.send("GET /check HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n")
        parked.resume(with: .text("fine"))
        #expect(try client.reply().body == "fine")
        #expect(client.isClosed)
    }

    @Test func `where bodies are ignored a request without one keeps its connection`() throws {
        let server = try TestServer(StubResponder(policy: .ignored))
        let client = try server.client()
        for _ in 0..<2 {
            client.send("GET /check HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.reply().endsConnection == false)
        }
    }

    @Test(arguments: ["zz\r\n", "-1\r\n", "fffffffffffffffff\r\n", "1\r\nabc\r\n"])
    func `chunks that can't be read are refused`(chunk: String) throws {
        let server = try TestServer(Self.echo)
        let client = try server.client()
        client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)")
        let reply = try client.reply()
        #expect([400, 413].contains(reply.status))
        #expect(client.isClosed)
    }
}
