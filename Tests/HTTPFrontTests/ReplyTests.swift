import Dispatch
import Synchronization
import Testing

@testable import HTTPFront

struct ReplyTests {
    private let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `HEAD gets the headers of GET and no body`() throws {
        let server = try TestServer(StubResponder { _ in .now(.text("twelve bytes")) })
        let client = try server.client()
        client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + get)
        let head = try client.reply(toHead: true)
        #expect(head.header("Content-Length") == "12")
        #expect(head.header("Content-Type") == "text/plain")
        #expect(head.header("Date") != nil)
        #expect(try client.reply().body == "twelve bytes")
    }

    @Test func `a connection serves one request after the other`() throws {
        let server = try TestServer()
        let client = try server.client()
        for number in 0..<3 {
            client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.reply().body == "/\(number)")
        }
    }

    @Test func `pipelined requests are answered in order`() throws {
        let server = try TestServer()
        let client = try server.client()
        let paths = (0..<50).map { "/\($0)?" + String(repeating: "q", count: $0) }
        client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        for path in paths { #expect(try client.reply().body == path) }
    }

    @Test func `a client that asks for the end gets it`() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(try client.reply().endsConnection)
        #expect(client.isClosed)
    }

    @Test func `headers keep their order and number, and may be empty`() throws {
        let headers = [("Set-Cookie", "a=1"), ("Remote-Name", ""), ("Set-Cookie", "b=2"), ("X", "ü")]
        let server = try TestServer(StubResponder { _ in .now(HTTPResponse(200, headers: headers)) })
        let reply = try server.reply(to: get)
        #expect(reply.all("Set-Cookie") == ["a=1", "b=2"])
        #expect(reply.header("Remote-Name") == "")
        #expect(reply.header("X") == "ü")
        #expect(reply.header("Content-Length") == "0")
    }

    @Test(arguments: [
        ("X", "a\r\nSet-Cookie: b"), ("X", "a\nb"), ("X", "a\u{0}b"), ("X", "a\u{7F}"), ("X y", "a"), ("", "a"),
        ("X:", "a"), ("X\u{0}", "a"), ("Content-Length", "5"),
    ])
    func `a header that can't be written makes the reply a 500`(name: String, value: String) throws {
        let server = try TestServer(StubResponder { _ in .now(HTTPResponse(200, headers: [(name, value)])) })
        let reply = try server.reply(to: get)
        #expect(reply.status == 500)
        #expect(reply.header("Set-Cookie") == nil)
    }

    @Test(arguments: [0, 99, 100, 101, 199, 600, 1_000, -1, .max, .min])
    func `a status that isn't one makes the reply a 500`(status: Int) throws {
        let server = try TestServer(StubResponder { _ in .now(HTTPResponse(status)) })
        #expect(try server.reply(to: get).status == 500)
    }

    @Test(arguments: [0, 1, 3_000_000])
    func `shared bytes are sent whole`(count: Int) throws {
        let file = StaticBytes(keeping: [UInt8](repeating: 0x61, count: count))
        let server = try TestServer(StubResponder { _ in .now(HTTPResponse(200, body: .shared(file))) })
        #expect(try server.reply(to: get).body.utf8.count == count)
    }

    @Test func `204 has neither body nor length`() throws {
        let server = try TestServer(StubResponder { _ in .now(HTTPResponse(204)) })
        let client = try server.client()
        client.send(get + get)
        #expect(try client.reply().status == 204)
        #expect(try client.reply().status == 204)
    }
}

struct LaterReplyTests {
    private let get = "GET /a HTTP/1.1\r\nHost: a\r\nX: kept\r\n\r\n"

    @Test func `another thread answers a suspended request, reading its headers until then`() throws {
        let server = try TestServer(
            StubResponder { request in
                .later { resume in
                    DispatchQueue.global().async {
                        resume(.text("\(request.header("X")) \(request.target)"))
                    }
                }
            }
        )
        let client = try server.client()
        for _ in 0..<50 {
            client.send(get)
            #expect(try client.reply().body == #"one("kept") /a"#)
        }
    }

    @Test func `a request that was answered has no headers any more`() throws {
        let kept = Mutex<HTTPRequest?>(nil)
        let server = try TestServer(
            StubResponder { request in
                kept.withLock { $0 = request }
                return .now(.text("\(request.header("X"))"))
            }
        )
        #expect(try server.reply(to: get).body == #"one("kept")"#)
        let afterwards = kept.withLock { $0 }
        let request = try #require(afterwards)
        #expect(request.header("X") == .absent)
        #expect(request.target == "/a")
    }

    @Test func `the first answer counts`() throws {
        let server = try TestServer(
            StubResponder { _ in
                .later { resume in
                    resume(.text("first"))
                    resume(.text("second"))
                }
            }
        )
        let client = try server.client()
        client.send(get + get)
        #expect(try client.reply().body == "first")
        #expect(try client.reply().body == "first")
    }

    @Test func `a job that forgets to answer costs its client the connection, and nobody else`() throws {
        let parked = Parked()
        let server = try TestServer(StubResponder { $0.target == "/a" ? parked.reply : .now(.text($0.target)) })
        let client = try server.client()
        client.send(get)
        parked.letGo()
        #expect(client.isClosed)
        #expect(server.answersGoodRequest())
    }

    @Test func `a client may go away while its request is suspended`() throws {
        let parked = Parked()
        let server = try TestServer(StubResponder { $0.target == "/a" ? parked.reply : .now(.text($0.target)) })
        var client: RawClient? = try server.client()
        client?.send(get)
        parked.waitUntilSuspended()
        client = nil
        #expect(server.answersGoodRequest())
        parked.resume(with: .text("to nobody"))
        #expect(server.answersGoodRequest())
    }
}
