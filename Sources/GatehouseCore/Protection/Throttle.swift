import Crypto
public import GatehouseKit
import Synchronization
import Wire

/// What a throttle counts failures for: an account's name and a kind of credential.
///
/// By kind, so that guessing a password never locks a passkey out; by name and not by account, so that a name nobody has
/// behaves the same.
public struct ThrottleKey: Hashable, Sendable {
    /// A digest: the names that strangers try are nobody's business.
    public let text: String

    public init(identifier: Identifier, kind: CredentialKind) {
        text = Base64URL(bytes: SHA256.hash(Array("\(kind) \(identifier)".utf8))).text
    }
}

/// How a name and kind stand.
public struct ThrottleState: Equatable, Sendable {
    public let failures: Int64
    public let blockedUntil: Timestamp
    public let lastFailureAt: Timestamp

    public init(failures: Int64, blockedUntil: Timestamp, lastFailureAt: Timestamp) {
        self.failures = failures
        self.blockedUntil = blockedUntil
        self.lastFailureAt = lastFailureAt
    }
}

/// How fast secrets may be guessed.
///
/// After `freeFailures` in a row each further one doubles the wait, from one second to `longestWait`; nothing locks for
/// good. Failures are forgotten after a day without one. With the defaults an attacker gets about 100 guesses in the first
/// day (NIST SP 800-63B-4 §3.2.2).
public struct ThrottlePolicy: Equatable, Sendable {
    public let freeFailures: Int64
    public let longestWait: Timestamp.Span
    public let memory: Timestamp.Span

    public init(
        freeFailures: Int64 = 5,
        longestWait: Timestamp.Span = .minutes(15),
        memory: Timestamp.Span = .hours(24)
    ) {
        self.freeFailures = freeFailures
        self.longestWait = longestWait
        self.memory = memory
    }

    /// - Throws: ``Refusal`` with `too_many_attempts` while the wait lasts.
    func check(_ state: ThrottleState?, now: Timestamp) throws(Refusal) {
        guard let state, now < state.blockedUntil else { return }
        let wait = (state.blockedUntil - now).milliseconds
        throw Refusal(
            .tooManyAttempts,
            "too many failures for this name and kind",
            remedy: .retryAfter(wait / 1_000 + 1)
        )
    }

    func failing(_ state: ThrottleState?, now: Timestamp) -> ThrottleState {
        let isRemembered = state.map { now - $0.lastFailureAt < memory } ?? false
        let failures = (isRemembered ? state?.failures ?? 0 : 0) + 1
        return ThrottleState(failures: failures, blockedUntil: now + wait(after: failures), lastFailureAt: now)
    }

    private func wait(after failures: Int64) -> Timestamp.Span {
        guard failures >= freeFailures else { return .seconds(0) }
        let doublings = min(failures - freeFailures, 20)
        return min(.seconds(1 << doublings), longestWait)
    }
}

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
