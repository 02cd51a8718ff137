public import GatehouseKit
import Synchronization

/// Finds, lists and ends sessions.
public final class SessionService: Sendable {
    /// How old the stored time of last use may get.
    static let writeInterval = Timestamp.Span.minutes(1)
    /// How far the stored time of last use may be behind: that, and the time until it is written.
    private static let lag = Timestamp.Span.seconds(70)

    private let storage: any Storage
    private let policy: SessionPolicy
    private let clock: any Clock
    public let cache: SessionCache
    private let touched = Mutex<[SessionID: Timestamp]>([:])

    public init(storage: any Storage, policy: SessionPolicy, clock: any Clock, cache: SessionCache = SessionCache()) {
        self.storage = storage
        self.policy = policy
        self.clock = clock
        self.cache = cache
    }

    /// The session that a token carries, from memory alone.
    public func cached(_ token: SessionToken) -> CachedSession? { cached(token.digest) }

    /// One that was replaced is let go once its time is over, so that whoever still uses it is noticed.
    private func cached(_ digest: TokenDigest) -> CachedSession? {
        guard let found = cache.find(digest) else { return nil }
        return found.session.successor == nil || clock.now < found.session.expiresAt ? found : nil
    }

    /// The session that a token carries; blocks while it is read.
    ///
    /// It may be past its end: the caller lets ``SessionPolicy`` judge that.
    ///
    /// - Parameter address: Of whoever sent it, for the audit log.
    public func find(_ token: SessionToken, from address: String? = nil) throws(ProviderFault) -> CachedSession? {
        let digest = token.digest
        if let cached = cached(digest) { return cached }
        let generation = cache.generation(of: digest)
        let found = try storage.read { (reader) throws(ProviderFault) -> CachedSession? in
            guard let session = try reader.session(digest: digest), let account = try reader.account(session.account),
                !account.isDisabled
            else { return nil }
            return CachedSession(session: session.withoutUserAgent, account: account)
        }
        guard let found, found.session.successor == nil || clock.now < found.session.expiresAt else {
            try noteReuse(of: digest, from: address)
            return nil
        }
        cache.insert(found, for: digest, ifStill: generation)
        return found
    }

    /// Keeps that somebody used the token of a session that was ended or replaced, once for each.
    ///
    /// It may be an app that doesn't know yet, and it may be a thief.
    private func noteReuse(of digest: TokenDigest, from address: String?) throws(ProviderFault) {
        let ended = try storage.read { (reader) throws(ProviderFault) in try reader.endedSession(digest: digest) }
        guard let ended, !ended.wasUsed else { return }
        let event = AuditEvent(
            at: clock.now,
            action: .endedSessionUsed,
            account: ended.account,
            session: ended.session,
            address: address
        )
        do throws(SignInError) {
            try storage.write { writer in
                if try writer.markUsed(digest, at: event.at) { try writer.append(event) }
            }
        } catch {
            if case .unavailable(let fault) = error { throw fault }
        }
    }

    /// The session that a request acts in; blocks.
    ///
    /// - Parameter address: As in ``find(_:from:)``.
    /// - Returns: `nil` if the token carries none, or one that is over or was replaced.
    public func current(_ token: SessionToken, from address: String? = nil) throws(ProviderFault) -> CachedSession? {
        let now = clock.now
        guard let found = try find(token, from: address), found.session.successor == nil,
            policy.isAlive(found.session, lastSeen: found.lastSeen, now: now)
        else { return nil }
        noteUse(of: found, at: now)
        return found
    }

    /// The level that sign-ins of the session's account have to reach today; `nil` if the session does.
    public func shortfall(of cached: CachedSession) -> Assurance? {
        let least = policy.minimum.level(for: cached.account.groups)
        return cached.session.assurance >= least ? nil : least
    }

    /// Notes that a session was used; cheap, and writes nothing itself.
    public func noteUse(of cached: CachedSession, at now: Timestamp) {
        // A quarter of the idle limit, so that a restart signs nobody out who is at work.
        let quarter = Timestamp.Span(milliseconds: cached.session.idleLimit.milliseconds / 4)
        guard cached.markSeen(at: now, writeEvery: min(Self.writeInterval, quarter)) else { return }
        touched.withLock { $0[cached.session.id] = now }
    }

    /// Stores the times of last use that have come together.
    public func flush() throws(SignInError) {
        let batch = touched.withLock { touched in
            defer { touched = [:] }
            return touched
        }
        guard !batch.isEmpty else { return }
        try storage.write { writer in
            for (id, time) in batch { try writer.touch(id, at: time) }
        }
    }

    /// Sessions that may still be in use; the stored time of last use lags behind.
    public func sessions(of account: AccountID) throws(SignInError) -> [StoredSession] {
        let now = clock.now
        return try storage.look { (reader) throws(ProviderFault) in try reader.sessions(of: account, at: now) }
            .filter { policy.isAlive($0, lastSeen: $0.lastSeenAt + Self.lag, now: now) }
    }

    /// Ends sessions, in storage first and then in memory.
    ///
    /// - Returns: how many were ended.
    @discardableResult
    public func end(_ selection: SessionSelection, by event: AuditEvent) throws(SignInError) -> Int {
        let digests = try storage.write { writer in
            let digests = try writer.endSessions(selection)
            if !digests.isEmpty { try writer.append(event) }
            return digests
        }
        cache.remove(digests)
        return digests.count
    }

    /// Ends one session of an account.
    ///
    /// - Returns: `false` if the account has no such session.
    public func end(_ id: SessionID, of account: AccountID, by event: AuditEvent) throws(SignInError) -> Bool {
        guard try sessions(of: account).contains(where: { $0.id == id }) else { return false }
        return try end(.one(id), by: event) > 0
    }
}
