public import GatehouseKit
import Synchronization

/// Makes, lists, finds and revokes personal access tokens.
///
/// A token is made in a session that proved itself recently, as with a credential; but it signs nobody in: it opens no
/// session, so that it can't enrol, step up or make another token.
public final class AccessTokenService: Sendable {
    let storage: any Storage
    private let enrollment: EnrollmentService
    private let access: AccessCheck
    private let limits: Limits
    private let clock: any Clock
    let cache: SessionCache
    let used = Mutex<[CredentialID: Timestamp]>([:])

    /// How much an account may have.
    public struct Limits: Equatable, Sendable {
        public let longestLife: Timestamp.Span
        /// Tokens that have not expired.
        public let quota: Int

        public init(longestLife: Timestamp.Span = .days(90), quota: Int = 25) {
            self.longestLife = longestLife
            self.quota = quota
        }
    }

    /// The shortest life; what needs less needs no token.
    public static let shortestLife = Timestamp.Span.minutes(1)

    public init(
        storage: any Storage,
        enrollment: EnrollmentService,
        sessions: SessionService,
        access: AccessCheck,
        limits: Limits = Limits(),
        clock: any Clock
    ) {
        self.storage = storage
        self.enrollment = enrollment
        cache = sessions.cache
        self.access = access
        self.limits = limits
        self.clock = clock
    }

    /// Makes a token for the account that is signed in.
    ///
    /// - Returns: It, with the only copy of its secret.
    /// - Throws: ``Refusal`` with `fresh_session_required`, `invalid_value` or `quota_exceeded`.
    public func make(
        _ name: String,
        for scope: AccessScope,
        lasting life: Timestamp.Span,
        in session: CachedSession,
        from origin: RequestOrigin
    ) throws(SignInError) -> (token: AccessToken, stored: StoredAccessToken) {
        do throws(Refusal) { try check(name, scope, life) } catch { throw .refused(error) }
        let now = clock.now
        let token = AccessToken.random()
        let stored = StoredAccessToken(
            id: .random(),
            account: session.account.id,
            name: name,
            scope: scope,
            createdAt: now,
            expiresAt: now + life
        )
        let made = event(.credentialEnrolled, stored, session, origin, at: now)
        try storage.write { [enrollment, limits] writer in
            _ = try enrollment.requireFresh(session, writer)
            guard session.session.scope == .full else {
                throw Refusal(.stepUpRequired, "the session may only enrol a credential")
            }
            let held = try writer.accessTokens(of: stored.account).filter { now < $0.expiresAt }
            guard held.count < limits.quota else {
                throw Refusal(.quotaExceeded, "the account has as many access tokens as it may")
            }
            try writer.insert(stored, digest: token.digest)
            try writer.append(made)
        }
        return (token, stored)
    }

    private func check(_ name: String, _ scope: AccessScope, _ life: Timestamp.Span) throws(Refusal) {
        guard AccountProfile.isShowable(name, in: 1...64) else {
            throw Refusal(.invalidValue, "a name has 1 to 64 characters and no control characters")
        }
        guard (Self.shortestLife...limits.longestLife).contains(life) else {
            throw Refusal(.invalidValue, "a token lives for a minute at least and no longer than configured")
        }
        let rules = access.rules
        guard scope.hosts.allSatisfy({ rules.takes(.accessToken, at: $0) }) else {
            throw Refusal(.invalidValue, "no access rule takes tokens at one of the hosts")
        }
    }

    /// All of an account's, expired ones for a while too, newest first.
    public func list(of account: AccountID) throws(SignInError) -> [StoredAccessToken] {
        try storage.look { (reader) throws(ProviderFault) in try reader.accessTokens(of: account) }
    }

    /// Revokes a token of the account that is signed in.
    ///
    /// - Throws: ``Refusal`` with `not_found` if it has no such token.
    public func revoke(
        _ id: CredentialID,
        in session: CachedSession,
        from origin: RequestOrigin
    ) throws(SignInError) {
        let now = clock.now
        let ended = try storage.write { [self] writer in
            try writer.requireActive(session.session, at: now)
            guard let token = try writer.accessTokens(of: session.account.id).first(where: { $0.id == id }) else {
                throw Refusal(.notFound, "the account has no such token")
            }
            try writer.append(event(.credentialRemoved, token, session, origin, at: now))
            return try writer.deleteAccessTokens(.one(id))
        }
        cache.remove(ended)
    }

    /// Revokes tokens for an administrator.
    ///
    /// - Returns: How many there were.
    @discardableResult
    public func revoke(_ selection: AccessTokenSelection, of account: AccountID) throws(SignInError) -> Int {
        let now = clock.now
        let ended = try storage.write { writer in
            let held = try writer.accessTokens(of: account)
            if case .one(let id) = selection, !held.contains(where: { $0.id == id }) {
                throw Refusal(.notFound, "the account has no such token")
            }
            return try writer.revokeAccessTokens(
                selection,
                of: account,
                because: "an administrator revoked it",
                at: now
            )
        }
        cache.remove(ended)
        return ended.count
    }

    private func event(
        _ action: AuditEvent.Action,
        _ token: StoredAccessToken,
        _ session: CachedSession,
        _ origin: RequestOrigin,
        at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(
            at: now,
            action: action,
            account: token.account,
            credential: token.id,
            session: session.session.id,
            kind: .accessToken,
            address: origin.address,
            requestID: origin.requestID
        )
    }
}

extension StorageWriter {
    /// Revokes tokens and says so in the audit log.
    func revokeAccessTokens(
        _ selection: AccessTokenSelection,
        of account: AccountID,
        because reason: Refusal.Reason,
        address: String? = nil,
        at now: Timestamp
    ) throws -> [TokenDigest] {
        for token in try accessTokens(of: account) where selection.includes(token) {
            try append(
                AuditEvent(
                    at: now,
                    action: .credentialRemoved,
                    account: account,
                    credential: token.id,
                    kind: .accessToken,
                    reason: reason.description,
                    address: address
                )
            )
        }
        return try deleteAccessTokens(selection)
    }
}

/// Which access tokens to revoke.
public enum AccessTokenSelection: Equatable, Sendable {
    case one(CredentialID)
    case account(AccountID)

    func includes(_ token: StoredAccessToken) -> Bool {
        switch self {
        case .one(let id): token.id == id
        case .account(let account): token.account == account
        }
    }
}
