import Synchronization

/// What tokens stand for, in memory, in front of storage.
///
/// Locks are chosen by the digest's first byte. Locks and not an actor, because the caller is an HTTP thread outside
/// Swift's pool and must not suspend. Each shard counts its removals, so that an entry which is read from storage while
/// it is being ended can't be put back afterwards.
final class DigestCache<Entry: Sendable>: Sendable {
    private let shards: [Shard]
    private let shardCapacity: Int

    /// - Parameter capacity: How many entries stay in memory; beyond it, arbitrary ones are dropped and read again.
    init(capacity: Int) {
        shards = (0..<32).map { _ in Shard() }
        shardCapacity = max(1, capacity / 32)
    }

    func find(_ digest: TokenDigest) -> Entry? {
        shards[digest.shard].state.withLock { $0.entries[digest] }
    }

    /// What ``insert(_:for:ifStill:)`` must be given to insert what is read from storage after this call.
    func generation(of digest: TokenDigest) -> UInt64 {
        shards[digest.shard].state.withLock { $0.generation }
    }

    /// - Parameter generation: If it is no longer this one, something was removed meanwhile and nothing is inserted.
    func insert(_ entry: Entry, for digest: TokenDigest, ifStill generation: UInt64? = nil) {
        shards[digest.shard].state.withLock { state in
            guard generation.map({ $0 == state.generation }) ?? true else { return }
            if state.entries.count >= shardCapacity, state.entries[digest] == nil, let victim = state.entries.keys.first
            {
                state.entries[victim] = nil
            }
            state.entries[digest] = entry
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

    func removeAll() {
        for shard in shards {
            shard.state.withLock { state in
                state.generation += 1
                state.entries.removeAll(keepingCapacity: true)
            }
        }
    }

    private final class Shard: Sendable {
        struct State {
            var entries: [TokenDigest: Entry] = [:]
            var generation: UInt64 = 0
        }

        let state = Mutex(State())
    }
}
