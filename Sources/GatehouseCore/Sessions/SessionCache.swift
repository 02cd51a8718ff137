public import GatehouseKit
import Synchronization

/// A live session in memory, with what the access check says about its account.
public final class CachedSession: Sendable {
    public let session: StoredSession
    public let account: Account
    /// The account's groups and the session's methods, each in one line with commas, as applications get them.
    public let groupList: String
    public let methodList: String
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

/// Live sessions in memory, in front of storage.
///
/// Locks are chosen by the digest's first byte. Locks and not an actor, because the caller is an HTTP thread outside
/// Swift's pool and must not suspend. Each shard counts its removals, so that a session which is read from storage while
/// it is being ended can't be put back afterwards.
public final class SessionCache: Sendable {
    private let shards: [Shard]
    private let shardCapacity: Int

    /// - Parameter capacity: How many sessions stay in memory; beyond it, arbitrary ones are dropped and read again.
    public init(capacity: Int = 200_000) {
        shards = (0..<32).map { _ in Shard() }
        shardCapacity = max(1, capacity / 32)
    }

    public func find(_ digest: TokenDigest) -> CachedSession? {
        shards[digest.shard].state.withLock { $0.entries[digest] }
    }

    /// What ``insert(_:for:ifStill:)`` must be given to insert what is read from storage after this call.
    func generation(of digest: TokenDigest) -> UInt64 {
        shards[digest.shard].state.withLock { $0.generation }
    }

    /// - Parameter generation: If it is no longer this one, something was removed meanwhile and nothing is inserted.
    func insert(_ session: CachedSession, for digest: TokenDigest, ifStill generation: UInt64? = nil) {
        shards[digest.shard].state.withLock { state in
            guard generation.map({ $0 == state.generation }) ?? true else { return }
            if state.entries.count >= shardCapacity, state.entries[digest] == nil, let victim = state.entries.keys.first
            {
                state.entries[victim] = nil
            }
            state.entries[digest] = session
        }
    }

    func remove(_ digests: [TokenDigest]) {
        for digest in digests {
            shards[digest.shard].state.withLock { state in
                state.generation += 1
                state.entries[digest] = nil
            }
        }
    }

    /// Forgets everything: someone else changed what is stored.
    public func removeAll() {
        for shard in shards {
            shard.state.withLock { state in
                state.generation += 1
                state.entries.removeAll(keepingCapacity: true)
            }
        }
    }

    private final class Shard: Sendable {
        struct State {
            var entries: [TokenDigest: CachedSession] = [:]
            var generation: UInt64 = 0
        }

        let state = Mutex(State())
    }
}
