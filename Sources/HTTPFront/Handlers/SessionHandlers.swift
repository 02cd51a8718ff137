import GatehouseCore
import GatehouseKit

/// `/session` and `/sessions`.
struct SessionHandlers: Sendable {
    let settings: FrontSettings

    var routes: [Route] {
        [
            .job(.get, "/session", current),
            .job(.delete, "/session", signOut),
            .job(.get, "/sessions", list),
            .job(.delete, "/sessions", endOthers),
            .job(.delete, "/sessions/{id}", end),
        ]
    }

    private func current(_ call: APICall) throws(SignInError) -> HTTPResponse {
        JSONReply.ok(CurrentSession(try call.anySession()))
    }

    /// Ends the session and clears the cookie, whether or not there was one.
    private func signOut(_ call: APICall) throws(SignInError) -> HTTPResponse {
        if let found = try call.session() {
            try call.services.sessions.end(
                .one(found.session.id),
                by: event(.signedOut, found, call)
            )
        }
        return JSONReply.noContent(headers: [settings.cookie.clearing])
    }

    private func list(_ call: APICall) throws(SignInError) -> HTTPResponse {
        let current = try call.fullSession()
        let sessions = try call.services.sessions.sessions(of: current.account.id)
        return JSONReply.ok(["sessions": sessions.map { ListedSession($0, current: current) }])
    }

    private func endOthers(_ call: APICall) throws(SignInError) -> HTTPResponse {
        let current = try call.fullSession()
        try call.services.sessions.end(
            .account(current.account.id, except: current.session.id),
            by: event(.sessionsEnded, current, call)
        )
        return JSONReply.noContent()
    }

    private func end(_ call: APICall) throws(SignInError) -> HTTPResponse {
        let current = try call.fullSession()
        let id: SessionID = try call.id()
        let event = event(.sessionsEnded, current, call)
        guard try call.services.sessions.end(id, of: current.account.id, by: event) else {
            throw .refused(Refusal(.notFound, "the account has no such session"))
        }
        return JSONReply.noContent(headers: id == current.session.id ? [settings.cookie.clearing] : [])
    }

    private func event(_ action: AuditEvent.Action, _ session: CachedSession, _ call: APICall) -> AuditEvent {
        AuditEvent(
            at: call.services.clock.now,
            action: action,
            account: session.account.id,
            session: session.session.id,
            address: call.origin.address,
            requestID: call.origin.requestID
        )
    }
}

/// The session that asks, with its account.
private struct CurrentSession: Encodable {
    let session: SessionAnswer
    let account: AccountAnswer

    private enum CodingKeys: String, CodingKey { case account }

    init(_ cached: CachedSession) {
        session = SessionAnswer(cached.session, lastSeen: cached.lastSeen)
        account = AccountAnswer(cached.account)
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(account, forKey: .account)
        try session.encode(to: encoder)
    }
}

private struct ListedSession: Encodable {
    let id: String
    let current: Bool
    let createdAt: Timestamp
    let lastSeenAt: Timestamp
    let methods: [String]
    let assurance: String
    let userAgent: String?
    let ipAddress: String?

    init(_ session: StoredSession, current: CachedSession) {
        id = session.id.text
        self.current = session.id == current.session.id
        createdAt = session.createdAt
        lastSeenAt = self.current ? current.lastSeen : session.lastSeenAt
        methods = session.methods.map(\.description)
        assurance = session.assurance.rawValue
        userAgent = session.userAgent
        ipAddress = session.address
    }
}
