import Testing
import Wire

@testable import HTTPFront

/// Answers as a test wants.
struct StubResponder: HTTPResponder {
    var policy = BodyPolicy.upTo(1_000)
    var answer: @Sendable (HTTPRequest) -> HTTPReply = { .now(.text($0.target)) }

    func bodyPolicy(for head: HTTPRequest) -> BodyPolicy { policy }
    func respond(to request: HTTPRequest) -> HTTPReply { answer(request) }
    func refuse(_ problem: ServerRefusal, requestID: String) -> HTTPResponse {
        HTTPResponse(problem.status, headers: [("X-Request-ID", requestID)], body: .bytes(Array("\(problem)".utf8)))
    }
}

extension HTTPResponse {
    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status, headers: [("Content-Type", "text/plain")], body: .bytes(Array(text.utf8)))
    }
}

/// A server that lives for one test.
final class TestServer {
    let server: HTTPServer
    var address: ListenAddress { server.boundAddress }

    init(
        at address: ListenAddress? = nil,
        limits: HTTPLimits = .init(),
        _ responder: StubResponder = .init()
    ) throws {
        let address = try address ?? #require(ListenAddress("127.0.0.1:0"))
        server = try HTTPServer(listeningOn: address, limits: limits, threads: 2, responder: responder)
    }

    deinit { server.stop(within: .zero) }

    func client() throws -> RawClient { try RawClient(address) }

    /// Sends one request on a connection of its own.
    func reply(to request: String) throws -> RawReplyText {
        let client = try client()
        client.send(request)
        return try client.reply()
    }

    /// The positive control: whatever else goes on, a good request is answered.
    func answersGoodRequest() -> Bool {
        let reply = try? reply(to: "GET /good HTTP/1.1\r\nHost: a\r\n\r\n")
        return reply?.status == 200 && reply?.body == "/good"
    }
}
