import Crypto
public import GatehouseKit
import Wire

/// What failures are counted for.
public struct ThrottleKey: Hashable, Sendable {
    /// A digest: the names that strangers try are nobody's business.
    public let text: String

    init(_ parts: String...) {
        text = Base64URL(bytes: SHA256.hash(Array(parts.joined(separator: "\0").utf8))).text
    }
}

/// How a key stands.
public struct ThrottleState: Equatable, Sendable {
    public let failures: Int64
    public let blockedUntil: Timestamp
    public let lastFailureAt: Timestamp

    public init(failures: Int64, blockedUntil: Timestamp, lastFailureAt: Timestamp) {
        self.failures = failures
        self.blockedUntil = blockedUntil
        self.lastFailureAt = lastFailureAt
    }

    /// - Throws: ``Refusal`` with `too_many_attempts` while the wait lasts.
    func check(_ reason: Refusal.Reason, now: Timestamp) throws(Refusal) {
        guard now < blockedUntil else { return }
        let wait = (blockedUntil - now).milliseconds
        throw Refusal(.tooManyAttempts, reason, remedy: .retryAfter(wait / 1_000 + 1))
    }
}

/// What becomes of a key with a failure, and without it.
protocol FailureRule: Sendable {
    func failing(_ state: ThrottleState?, now: Timestamp) -> ThrottleState
    /// - Returns: `nil` where there is nothing to take back.
    func takingBack(_ state: ThrottleState) -> ThrottleState?
}

/// After some failures in a row each further one doubles the wait, from one second on; nothing locks for good.
struct Backoff: FailureRule {
    let freeFailures: Int64
    let longestWait: Timestamp.Span

    /// Failures are forgotten after so long without one.
    static let memory = Timestamp.Span.hours(24)

    func failing(_ state: ThrottleState?, now: Timestamp) -> ThrottleState {
        let isRemembered = state.map { now - $0.lastFailureAt < Self.memory } ?? false
        let failures = (isRemembered ? state?.failures ?? 0 : 0) + 1
        return ThrottleState(failures: failures, blockedUntil: now + wait(after: failures), lastFailureAt: now)
    }

    func takingBack(_ state: ThrottleState) -> ThrottleState? {
        guard state.failures > 0 else { return nil }
        let failures = state.failures - 1
        return ThrottleState(
            failures: failures,
            blockedUntil: state.lastFailureAt + wait(after: failures),
            lastFailureAt: state.lastFailureAt
        )
    }

    private func wait(after failures: Int64) -> Timestamp.Span {
        guard failures >= freeFailures else { return .seconds(0) }
        let doublings = min(failures - freeFailures, 20)
        return min(.seconds(1 << doublings), longestWait)
    }
}

/// So many failures in a period, at once or spread over it; then one more each time its share of the period is over.
///
/// The generic cell rate algorithm (ITU-T I.371), whose whole state is the time at which all is forgotten.
struct FailureRate: FailureRule {
    private let share: Timestamp.Span
    private let slack: Timestamp.Span

    init(_ failures: Int64, in period: Timestamp.Span) {
        share = Timestamp.Span(milliseconds: period.milliseconds / failures)
        slack = Timestamp.Span(milliseconds: share.milliseconds * (failures - 1))
    }

    func failing(_ state: ThrottleState?, now: Timestamp) -> ThrottleState {
        let forgottenAt = max(state.map { $0.blockedUntil + slack } ?? now, now)
        return ThrottleState(
            failures: (state?.failures ?? 0) + 1,
            blockedUntil: forgottenAt + share - slack,
            lastFailureAt: now
        )
    }

    func takingBack(_ state: ThrottleState) -> ThrottleState? {
        ThrottleState(
            failures: max(0, state.failures - 1),
            blockedUntil: state.blockedUntil - share,
            lastFailureAt: state.lastFailureAt
        )
    }
}
