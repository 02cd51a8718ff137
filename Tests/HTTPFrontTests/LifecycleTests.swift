import Dispatch
import Glibc
import Synchronization
import Testing
import Wire

@testable import HTTPFront

struct ListenAddressTests {
    @Test(arguments: ["127.0.0.1:9091", "[::1]:9091", "[::]:0", "0.0.0.0:65535", "unix:/run/x.sock"])
    func `an address is written as it is read`(text: String) throws {
        #expect(try #require(ListenAddress(text)).description == text)
    }

    @Test(arguments: [
        "", ":", "9091", ":9091", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
        "localhost:80", "::1:9091", "[::1]", "[::1]9091", "[127.0.0.1]:80", "unix:", "unix:relative", "unix:/a\u{0}b",
        "127.0.0.1: 80", "127.0.0.1:８０",
    ])
    func `anything else is no address`(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}

struct ListeningTests {
    private let path = "/tmp/gatehouse-\(UInt64.random(in: 0 ... .max)).sock"

    @Test func `a busy port is said to be that`() throws {
        let first = try TestServer()
        #expect(throws: HTTPServerError.addressInUse(first.address)) { try TestServer(at: first.address) }
        #expect(first.answersGoodRequest())
    }

    @Test func `an address of another machine can't be listened on`() throws {
        let address = try #require(ListenAddress("192.0.2.1:0"))
        #expect(throws: HTTPServerError.cannotListen(address, errno: EADDRNOTAVAIL)) { try TestServer(at: address) }
    }

    @Test func `IPv6 is served`() throws {
        let server = try TestServer(
            at: ListenAddress("[::1]:0"),
            StubResponder { .now(.text("\($0.peer)")) }
        )
        #expect(try server.reply(to: "GET / HTTP/1.1\r\nHost: a\r\n\r\n").body == "address(::1)")
    }

    @Test func `a Unix socket is served to its group, and goes with the server`() throws {
        let server = try TestServer(at: .unix(path: path), StubResponder { .now(.text("\($0.peer)")) })
        #expect(server.address == .unix(path: path))
        #expect(try server.reply(to: "GET / HTTP/1.1\r\nHost: a\r\n\r\n").body == "unixSocket")
        var status = stat()
        #expect(unsafe stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o660)
        server.server.stop(within: .zero)
        #expect(unsafe stat(path, &status) == -1)
    }

    @Test func `a socket file that nobody serves is replaced, one that is served is not`() throws {
        close(try ListeningSocket(.unix(path: path)).descriptor)
        let server = try TestServer(at: .unix(path: path))
        #expect(server.answersGoodRequest())
        #expect(throws: HTTPServerError.addressInUse(.unix(path: path))) { try TestServer(at: .unix(path: path)) }
        #expect(server.answersGoodRequest())
    }

    @Test func `a file that isn't a socket is left alone`() throws {
        close(unsafe open(path, O_CREAT | O_WRONLY, 0o600))
        defer { unsafe unlink(path) }
        #expect(throws: HTTPServerError.addressInUse(.unix(path: path))) { try TestServer(at: .unix(path: path)) }
        var status = stat()
        #expect(unsafe stat(path, &status) == 0)
    }

    @Test func `a path longer than a socket address is refused`() {
        let address = ListenAddress.unix(path: "/tmp/" + String(repeating: "x", count: 103))
        #expect(throws: HTTPServerError.cannotListen(address, errno: ENAMETOOLONG)) { try TestServer(at: address) }
    }
}

struct StopTests {
    private let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `a request in flight is finished while new connections are refused`() throws {
        let parked = Parked()
        let server = try TestServer(StubResponder { _ in parked.reply })
        let client = try server.client()
        client.send(get)
        parked.waitUntilSuspended()
        let stopped = DispatchSemaphore(value: 0)
        let http = server.server
        DispatchQueue.global().async {
            http.stop(within: .seconds(20))
            stopped.signal()
        }
        try eventually { (try? server.client()) == nil }
        parked.resume(with: .text("finished"))
        let reply = try client.reply()
        #expect(reply.body == "finished")
        #expect(reply.endsConnection)
        #expect(client.isClosed)
        #expect(stopped.wait(timeout: .now() + 10) == .success)
    }

    @Test func `a request that takes too long is given up, and its late answer ignored`() throws {
        let parked = Parked()
        let server = try TestServer(StubResponder { _ in parked.reply })
        let client = try server.client()
        client.send(get)
        parked.waitUntilSuspended()
        server.server.stop(within: .milliseconds(50))
        #expect(client.isClosed)
        parked.resume(with: .text("too late"))
    }

    @Test func `an idle connection doesn't hold a server up`() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(get)
        #expect(try client.reply().status == 200)
        let took = ContinuousClock().measure { server.server.stop(within: .seconds(60)) }
        #expect(took < .seconds(30))
        #expect(client.isClosed)
    }

    @Test func `a server that is closing down ends connections with their answers`() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(get)
        #expect(try client.reply().endsConnection == false)
        server.server.quiesce()
        #expect(throws: RawClient.ConnectionFailed.self) { try server.client() }
        client.send(get)
        #expect(try client.reply().endsConnection)
    }

    @Test func `a server may be stopped in the middle of traffic`() throws {
        for _ in 0..<20 {
            let server = try HTTPServer(
                listeningOn: .tcp(IPAddress(ipv4: 0x7F00_0001), port: 0),
                threads: 2,
                responder: StubResponder()
            )
            let address = server.boundAddress
            let clients = DispatchGroup()
            let answered = DispatchSemaphore(value: 0)
            for _ in 0..<4 {
                DispatchQueue.global().async(group: clients) {
                    // A connection for each request: accepting must be going on when the server stops.
                    while let client = try? RawClient(address), client.send(get), (try? client.reply()) != nil {
                        answered.signal()
                    }
                }
            }
            #expect(answered.wait(timeout: .now() + 10) == .success)
            server.stop(within: .seconds(5))
            #expect(clients.wait(timeout: .now() + 10) == .success)
        }
    }

    @Test func `stopping twice is stopping once`() throws {
        let server = try TestServer()
        #expect(server.answersGoodRequest())
        server.server.stop(within: .zero)
        server.server.stop(within: .zero)
        #expect(!server.answersGoodRequest())
    }
}
