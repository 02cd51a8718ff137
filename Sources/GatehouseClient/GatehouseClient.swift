#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Calls a Gatehouse from an app: the combined sign-in request, passkeys, trusted devices, recovery codes, sessions.
///
/// It holds no state but the session's token, which the app keeps where its secrets are (the Keychain) and sets again when it
/// starts. Nothing here decides that somebody is signed in: that is what the gateway answers.
public struct GatehouseClient: Sendable {
    private let server: String
    private let transport: any HTTPTransport

    /// Of the session that calls are made in; `nil` while signed out.
    public var token: String?

    /// - Parameters:
    ///   - server: The gateway's public URL, such as `https://login.example.com`, without a slash at its end.
    ///   - transport: What carries requests.
    public init(server: String, transport: any HTTPTransport, token: String? = nil) {
        self.server = server
        self.transport = transport
        self.token = token
    }

    /// - Parameter body: Sent as JSON; `nil` for none.
    func call<Answer: Decodable>(
        _ method: HTTPMethod,
        _ path: String,
        _ body: (any Encodable & Sendable)? = nil,
        returning: Answer.Type = Answer.self
    ) async throws(ClientError) -> Answer {
        let response = try await send(method, path, body)
        do {
            return try JSONDecoder().decode(Answer.self, from: response.body)
        } catch { throw .unexpectedAnswer(status: response.status) }
    }

    /// The same for calls whose answer says nothing.
    func call(_ method: HTTPMethod, _ path: String, _ body: (any Encodable & Sendable)? = nil) async throws(ClientError)
    {
        _ = try await send(method, path, body)
    }

    private func send(
        _ method: HTTPMethod,
        _ path: String,
        _ body: (any Encodable & Sendable)?
    ) async throws(ClientError) -> HTTPResponse {
        let response: HTTPResponse
        do {
            response = try await transport.send(try request(method, path, body))
        } catch { throw .unreachable(String(describing: error)) }
        guard !(200..<300).contains(response.status) else { return response }
        guard let problem = try? JSONDecoder().decode(Problem.self, from: response.body) else {
            throw .unexpectedAnswer(status: response.status)
        }
        throw .refused(problem)
    }

    private func request(_ method: HTTPMethod, _ path: String, _ body: (any Encodable & Sendable)?) throws
        -> HTTPRequest
    {
        var headers = ["Accept": "application/json"]
        if let token { headers["Authorization"] = "Bearer \(token)" }
        if body != nil { headers["Content-Type"] = "application/json" }
        return HTTPRequest(method: method, url: server + path, headers: headers, body: try body.map(Self.encode))
    }

    private static func encode(_ body: any Encodable) throws -> Data { try JSONEncoder().encode(body) }
}
