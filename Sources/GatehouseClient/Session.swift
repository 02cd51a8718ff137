/// Who is signed in.
public struct Account: Decodable, Equatable, Sendable {
    public let id: String
    public let username: String
    public let displayName: String
}

/// A session, and what it proved.
public struct Session: Decodable, Equatable, Sendable {
    public let id: String
    /// `aal1`, `aal2`, `aal3` (NIST SP 800-63B-4).
    public let assurance: String
    public let methods: [String]
    public let authenticatedAt: String
    public let expiresAt: String
    public let idleExpiresAt: String
    /// Whether it may enrol a credential and sign out, and nothing else.
    public let restricted: Bool
    /// A secret, in the answer that opens it and never again.
    public let token: String?
}

/// One of the account's sessions.
public struct SessionSummary: Decodable, Equatable, Sendable {
    public let id: String
    public let current: Bool
    public let createdAt: String
    public let lastSeenAt: String
    public let methods: [String]
    public let assurance: String
    public let userAgent: String?
    public let ipAddress: String?
}

extension GatehouseClient {
    /// The session of ``token``.
    ///
    /// - Throws: ``ClientError/refused(_:)`` with `session_required` if it is over: forget the token, and sign in.
    public func currentSession() async throws(ClientError) -> Session { try await call(.get, "/session") }

    /// Ends the session.
    ///
    /// A device that is to be forgotten is revoked before, while there is a session to do it in.
    public func signOut() async throws(ClientError) { try await call(.delete, "/session") }

    public func sessions() async throws(ClientError) -> [SessionSummary] {
        try await call(.get, "/sessions", returning: SessionList.self).sessions
    }

    public func endSession(_ id: String) async throws(ClientError) { try await call(.delete, "/sessions/\(id)") }

    /// Ends all sessions of the account but this one.
    public func endOtherSessions() async throws(ClientError) { try await call(.delete, "/sessions") }
}

private struct SessionList: Decodable { let sessions: [SessionSummary] }
