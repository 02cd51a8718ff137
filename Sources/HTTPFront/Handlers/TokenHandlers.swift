import GatehouseCore
import GatehouseKit

/// `/tokens`: personal access tokens, for their owner.
struct TokenHandlers: Sendable {
    let routes: [Route] = [
        .job(.post, "/tokens", isThrottled: true, make),
        .job(.get, "/tokens") { (call) throws(SignInError) in
            let tokens = try call.services.machines.tokens.list(of: try call.fullSession().account.id)
            return JSONReply.ok(["tokens": tokens.map(TokenAnswer.init)])
        },
        .job(.delete, "/tokens/{id}") { (call) throws(SignInError) in
            try call.services.machines.tokens.revoke(try call.id(), in: try call.fullSession(), from: call.origin)
            return JSONReply.noContent()
        },
    ]

    private static func make(_ call: APICall) throws(SignInError) -> HTTPResponse {
        let session = try call.fullSession()
        let body = try call.decode(TokenBody.self)
        guard let life = Int64(exactly: body.expiresIn), (1...1_000_000_000).contains(life) else {
            throw .refused(Refusal(.invalidValue, "a token's life is a number of seconds"))
        }
        let made = try call.services.machines.tokens.make(
            body.name,
            for: try body.scope,
            lasting: .seconds(life),
            in: session,
            from: call.origin
        )
        return JSONReply.ok(MadeTokenAnswer(token: made.token.text, accessToken: TokenAnswer(made.stored)))
    }
}

private struct TokenBody: Decodable {
    let name: String
    let hosts: [String]
    let paths: [String]?
    let methods: [String]?
    /// Seconds.
    let expiresIn: Int

    var scope: AccessScope {
        get throws(SignInError) {
            let hosts = hosts.compactMap(HostPattern.init)
            let paths = (paths ?? []).compactMap(Self.path)
            let methods = (methods ?? []).compactMap(Self.method)
            // A list that is there must have something in it: an empty one would mean everything.
            guard hosts.count == self.hosts.count, paths.count == self.paths?.count ?? 0, self.paths != [],
                methods.count == self.methods?.count ?? 0, self.methods != [],
                let scope = AccessScope(hosts: hosts, paths: paths, methods: methods)
            else {
                throw .refused(
                    Refusal(.invalidValue, "a host, path or method of the token is none, or there are too many")
                )
            }
            return scope
        }
    }

    /// A pattern has no query, in which anything could stand.
    private static func path(_ text: String) -> PathPattern? {
        text.contains("?") || text.utf8.count > 512 ? nil : PathPattern(text)
    }

    private static func method(_ text: String) -> String? {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy { (65...90).contains($0) } ? text : nil
    }
}

private struct MadeTokenAnswer: Encodable {
    /// Shown this once.
    let token: String
    let accessToken: TokenAnswer
}

private struct TokenAnswer: Encodable {
    let id: String
    let name: String
    let hosts: [String]
    let paths: [String]
    let methods: [String]
    let createdAt: Timestamp
    let expiresAt: Timestamp
    let lastUsedAt: Timestamp?

    init(_ token: StoredAccessToken) {
        id = token.id.text
        name = token.name
        hosts = token.scope.hosts.map(\.description)
        paths = token.scope.paths.map(\.description)
        methods = token.scope.methods
        createdAt = token.createdAt
        expiresAt = token.expiresAt
        lastUsedAt = token.lastUsedAt
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, hosts, paths, methods, createdAt, expiresAt, lastUsedAt
    }

    /// With every member, as the synthesized form leaves out what is `nil`.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(hosts, forKey: .hosts)
        try container.encode(paths, forKey: .paths)
        try container.encode(methods, forKey: .methods)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(expiresAt, forKey: .expiresAt)
        try container.encode(lastUsedAt, forKey: .lastUsedAt)
    }
}
