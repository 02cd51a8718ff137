public import GatehouseKit
import Synchronization

/// A live session in memory, with what the access check says about its account.
public final class CachedSession: Sendable {
    public let session: StoredSession
    public let account: Account
    /// The account's groups and the session's methods, each in one line with commas, as applications get them.
    public let groupList: String
    public let methodList: String
    let identities = Mutex<[SignedIdentity]>([])
    private let seen: Atomic<Int64>
    private let written: Atomic<Int64>

    public init(session: StoredSession, account: Account) {
        self.session = session
        self.account = account
        groupList = account.groups.joined(separator: ",")
        methodList = session.methods.map(\.description).joined(separator: ",")
        seen = Atomic(session.lastSeenAt.milliseconds)
        written = Atomic(session.lastSeenAt.milliseconds)
    }

    public var lastSeen: Timestamp { Timestamp(milliseconds: seen.load(ordering: .relaxed)) }

    /// Notes a use.
    ///
    /// - Returns: whether the stored time is now older than `interval` and this caller is the one to write it.
    func markSeen(at now: Timestamp, writeEvery interval: Timestamp.Span) -> Bool {
        seen.max(now.milliseconds, ordering: .relaxed)
        let last = written.load(ordering: .relaxed)
        guard now.milliseconds - last >= interval.milliseconds else { return false }
        return written.compareExchange(expected: last, desired: now.milliseconds, ordering: .relaxed).exchanged
    }
}

/// Live sessions in memory, and access tokens beside them: whatever ends one of either names it by its digest.
public final class SessionCache: Sendable {
    private let sessions: DigestCache<CachedSession>
    let accessTokens: DigestCache<MachineCaller>

    /// - Parameter capacity: How many sessions stay in memory; beyond it, arbitrary ones are dropped and read again.
    public init(capacity: Int = 200_000) {
        sessions = DigestCache(capacity: capacity)
        accessTokens = DigestCache(capacity: capacity)
    }

    public func find(_ digest: TokenDigest) -> CachedSession? { sessions.find(digest) }

    /// What ``insert(_:for:ifStill:)`` must be given to insert what is read from storage after this call.
    func generation(of digest: TokenDigest) -> UInt64 { sessions.generation(of: digest) }

    /// - Parameter generation: If it is no longer this one, something was removed meanwhile and nothing is inserted.
    func insert(_ session: CachedSession, for digest: TokenDigest, ifStill generation: UInt64? = nil) {
        sessions.insert(session, for: digest, ifStill: generation)
    }

    func remove(_ digests: [TokenDigest]) {
        sessions.remove(digests)
        accessTokens.remove(digests)
    }

    /// Forgets everything: someone else changed what is stored.
    public func removeAll() {
        sessions.removeAll()
        accessTokens.removeAll()
    }
}
