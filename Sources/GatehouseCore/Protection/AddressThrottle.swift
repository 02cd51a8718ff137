public import GatehouseKit
import Synchronization

/// A token bucket for each address (IPv6: each /64), in bounded memory.
public final class AddressThrottle: Sendable {
    private struct Bucket {
        var tokens: Double
        var updatedAt: Timestamp
    }

    private let perMinute: Double
    private let capacity: Int
    private let buckets = Mutex<[String: Bucket]>([:])

    /// - Parameters:
    ///   - perMinute: How many attempts an address has in a minute, and at once.
    ///   - capacity: How many addresses are remembered. Beyond it the full buckets go first, which nobody misses.
    public init(perMinute: Int, capacity: Int = 50_000) {
        self.perMinute = Double(perMinute)
        self.capacity = capacity
    }

    /// Takes one attempt.
    ///
    /// - Throws: ``Refusal`` with `too_many_attempts` if the address has none left.
    public func take(_ address: String, now: Timestamp) throws(Refusal) {
        let wait = buckets.withLock { buckets -> Double? in
            if buckets.count >= capacity, buckets[address] == nil { makeRoom(&buckets, now: now) }
            var bucket = buckets[address] ?? Bucket(tokens: perMinute, updatedAt: now)
            bucket.tokens = min(perMinute, bucket.tokens + refill(since: bucket.updatedAt, now: now))
            bucket.updatedAt = now
            defer { buckets[address] = bucket }
            guard bucket.tokens >= 1 else { return (1 - bucket.tokens) / perMinute * 60 }
            bucket.tokens -= 1
            return nil
        }
        guard let wait else { return }
        throw Refusal(
            .tooManyAttempts,
            "too many attempts from this address",
            remedy: .retryAfter(Int64(wait.rounded(.up)))
        )
    }

    private func refill(since: Timestamp, now: Timestamp) -> Double {
        Double(max(0, (now - since).milliseconds)) * perMinute / 60_000
    }

    private func makeRoom(_ buckets: inout [String: Bucket], now: Timestamp) {
        buckets = buckets.filter { $0.value.tokens + refill(since: $0.value.updatedAt, now: now) < perMinute }
        while buckets.count >= capacity, let victim = buckets.keys.first { buckets[victim] = nil }
    }
}
