public import GatehouseKit

/// A session that was just opened, with the only copy of its token.
public struct IssuedSession: Sendable {
    public let session: StoredSession
    public let token: SessionToken
    /// The sessions that gave way to it, which must leave every cache.
    let ended: [TokenDigest]

    fileprivate init(session: StoredSession, token: SessionToken, ended: [TokenDigest] = []) {
        self.session = session
        self.token = token
        self.ended = ended
    }
}

/// Where a request came from, as the owner of the session will see it in the list.
public struct RequestOrigin: Sendable {
    public let userAgent: String?
    public let address: String?
    public let client: ClientKind
    /// Whether a page in a browser sent it, which may not run a native ceremony.
    public let isBrowser: Bool
    /// Whether apps are served at all.
    public let servesApps: Bool
    /// What the sessions are bound to that it opens; see ``SessionToken/realm``.
    public let realm: String
    /// Where throttles count it.
    public let throttleKey: String
    public let requestID: String

    public init(
        userAgent: String?,
        address: String?,
        client: ClientKind,
        isBrowser: Bool,
        servesApps: Bool = true,
        realm: String = "",
        throttleKey: String,
        requestID: String
    ) {
        self.userAgent = userAgent
        self.address = address
        self.client = client
        self.isBrowser = isBrowser
        self.servesApps = servesApps
        self.realm = realm
        self.throttleKey = throttleKey
        self.requestID = requestID
    }

    /// Checks that what only apps may do is done by one, where they are served.
    ///
    /// - Throws: ``Refusal`` with `native_api_disabled` or `browser_context`.
    public func checkIsApp() throws(Refusal) {
        guard servesApps else { throw Refusal(.nativeAPIDisabled, "apps are not served") }
        guard !isBrowser else { throw Refusal(.browserContext, "a page in a browser does what only an app may") }
    }

    /// The same request, as the kind of client that its ceremony was begun for.
    func asking(as client: ClientKind) -> RequestOrigin {
        RequestOrigin(
            userAgent: userAgent,
            address: address,
            client: client,
            isBrowser: isBrowser,
            servesApps: servesApps,
            realm: realm,
            throttleKey: throttleKey,
            requestID: requestID
        )
    }
}

/// The only code that opens sessions, and only on a grant of ``SessionPolicy``.
public struct SessionIssuer: Sendable {
    /// How long a replaced token still passes the access check: requests that were under way when it was replaced.
    static let overlap = Timestamp.Span.seconds(10)

    /// How many sessions an account may have at a time.
    private let limit: Int?

    public init(_ policy: SessionPolicy) { limit = policy.sessionLimit }

    /// Opens a session within a transaction.
    ///
    /// - Parameter previous: The session whose place it takes, after a rise in assurance.
    func issue(
        _ grant: Admission.Grant,
        to origin: RequestOrigin,
        replacing previous: StoredSession? = nil,
        in transaction: any StorageWriter
    ) throws -> IssuedSession {
        let now = grant.authenticatedAt
        let session = StoredSession(
            id: .random(),
            account: grant.account,
            client: origin.client,
            scope: grant.scope,
            assurance: grant.assurance,
            evidence: grant.evidence,
            isRemembered: grant.isRemembered,
            createdAt: previous?.createdAt ?? now,
            authenticatedAt: now,
            lastSeenAt: now,
            expiresAt: grant.expiresAt,
            idleLimit: grant.idleLimit,
            userAgent: origin.userAgent.map { String($0.prefix(256)) },
            address: origin.address
        )
        let issued = IssuedSession(session: session, token: .random(in: origin.realm))
        try transaction.insert(issued)
        guard let previous else {
            let ended = try makeRoom(for: session, transaction)
            return IssuedSession(session: session, token: issued.token, ended: ended)
        }
        let replaced = try transaction.supersede(previous.id, by: session.id, until: now + Self.overlap)
        guard let replaced else { throw Refusal(.sessionRequired, "the session ended while it was stepped up") }
        return IssuedSession(session: session, token: issued.token, ended: [replaced])
    }

    /// Ends what the account has beyond its limit, the longest unused first.
    private func makeRoom(for session: StoredSession, _ transaction: any StorageWriter) throws -> [TokenDigest] {
        guard let limit else { return [] }
        let others = try transaction.sessions(of: session.account, at: session.createdAt)
            .filter { $0.id != session.id }
            .sorted { $0.lastSeenAt > $1.lastSeenAt }
        return try others.dropFirst(limit - 1).flatMap { old in
            try transaction.append(
                AuditEvent(
                    at: session.createdAt,
                    action: .sessionsEnded,
                    account: session.account,
                    session: old.id,
                    reason: "the account has as many sessions as it may",
                    address: session.address
                )
            )
            return try transaction.endSessions(.one(old.id))
        }
    }
}
