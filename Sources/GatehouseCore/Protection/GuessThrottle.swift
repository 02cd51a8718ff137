public import GatehouseKit

/// How fast secrets may be guessed.
public struct ThrottlePolicy: Equatable, Sendable {
    /// In a row, for a name and a kind from one address.
    public let freeFailures: Int64
    public let longestWait: Timestamp.Span
    /// In a row, for a name and a kind from all addresses that are not familiar to the account.
    public let freeFailuresPerName: Int64
    public let perAddressPerHour: Int64
    /// Against accounts that exist, from addresses that are not familiar to them.
    public let perMinute: Int64

    /// With the defaults somebody with many addresses gets about 155 guesses at a name in the first day, and 96 in each one
    /// after it; one with a single address gets 110 (NIST SP 800-63B-4 §3.2.2).
    public init(
        freeFailures: Int64 = 5,
        longestWait: Timestamp.Span = .minutes(15),
        freeFailuresPerName: Int64 = 50,
        perAddressPerHour: Int64 = 240,
        perMinute: Int64 = 300
    ) {
        self.freeFailures = freeFailures
        self.longestWait = longestWait
        self.freeFailuresPerName = freeFailuresPerName
        self.perAddressPerHour = perAddressPerHour
        self.perMinute = perMinute
    }
}

/// One try at a secret: for a name, by a kind, from an address.
///
/// By kind, so that guessing a password never locks a passkey out; by name and not by account, so that a name nobody has
/// behaves the same.
struct Guess: Sendable {
    let identifier: Identifier
    let kind: CredentialKind
    /// Where throttles count it: an address, or its network.
    let source: String

    var nameFromSource: ThrottleKey { ThrottleKey("name and address", kind.description, "\(identifier)", source) }
    var name: ThrottleKey { ThrottleKey("name", kind.description, "\(identifier)") }
    var address: ThrottleKey { ThrottleKey("address", source) }
    static let site = ThrottleKey("site")
}

/// Slows guessing down, in four ways that are all stored, so that none is forgotten at a restart.
///
/// Who guesses at a name waits ever longer. Who does so from ever new addresses waits as well, and so does who tries many
/// names from one address, or many names from many addresses. The last three would let a stranger keep people out, so they
/// don't concern an address from which the account was signed in to within a month: an account's *familiar* address.
struct GuessThrottle: Sendable {
    private let fromSource: Backoff
    private let fromAnywhere: Backoff
    private let address: FailureRate
    private let site: FailureRate

    init(_ policy: ThrottlePolicy) {
        fromSource = Backoff(freeFailures: policy.freeFailures, longestWait: policy.longestWait)
        fromAnywhere = Backoff(freeFailures: policy.freeFailuresPerName, longestWait: policy.longestWait)
        address = FailureRate(policy.perAddressPerHour, in: .hours(1))
        site = FailureRate(policy.perMinute, in: .minutes(1))
    }

    /// Counts a try as a failure before it is checked, so that a hundred at the same moment are no way around.
    ///
    /// - Parameter isAccount: Whether there is an account of this name. What is tried at names that nobody has holds nobody
    ///   else up.
    /// - Throws: ``Refusal`` with `too_many_attempts` while a wait lasts.
    func reserve(_ guess: Guess, isAccount: Bool, at now: Timestamp, _ writer: any StorageWriter) throws {
        let name = try writer.throttle(guess.nameFromSource)
        try name?.check("too many failures for this name from this address", now: now)
        try writer.setThrottle(guess.nameFromSource, to: fromSource.failing(name, now: now))
        guard try !writer.isFamiliar(guess.nameFromSource) else { return }
        for limit in limits(guess, isAccount: isAccount) {
            let state = try writer.throttle(limit.key)
            try state?.check(limit.reason, now: now)
            try writer.setThrottle(limit.key, to: limit.rule.failing(state, now: now))
        }
    }

    /// Takes the failure back, where it was none.
    func takeBack(_ guess: Guess, isAccount: Bool, at now: Timestamp, _ writer: any StorageWriter) throws {
        try takeBack(guess.nameFromSource, fromSource, writer)
        guard try !writer.isFamiliar(guess.nameFromSource) else { return }
        for limit in limits(guess, isAccount: isAccount) { try takeBack(limit.key, limit.rule, writer) }
    }

    /// Takes the failure back, forgets those at this name, and remembers the address.
    func succeeded(_ guess: Guess, at now: Timestamp, _ writer: any StorageWriter) throws {
        try takeBack(guess, isAccount: true, at: now, writer)
        try forget(guess, at: now, writer)
    }

    /// Forgets the failures at this name, and remembers the address.
    func forget(_ guess: Guess, at now: Timestamp, _ writer: any StorageWriter) throws {
        try writer.clearThrottle(guess.nameFromSource)
        try writer.clearThrottle(guess.name)
        try writer.setFamiliar(guess.nameFromSource, at: now)
    }

    private struct Limit {
        let key: ThrottleKey
        let rule: any FailureRule
        let reason: Refusal.Reason
    }

    /// What doesn't concern familiar addresses.
    private func limits(_ guess: Guess, isAccount: Bool) -> [Limit] {
        let limits = [
            Limit(key: guess.name, rule: fromAnywhere, reason: "too many failures for this name"),
            Limit(key: guess.address, rule: address, reason: "too many failures from this address"),
            Limit(key: Guess.site, rule: site, reason: "too many failures from everywhere: credential stuffing"),
        ]
        return isAccount ? limits : limits.dropLast()
    }

    private func takeBack(_ key: ThrottleKey, _ rule: any FailureRule, _ writer: any StorageWriter) throws {
        guard let state = try writer.throttle(key), let former = rule.takingBack(state) else { return }
        try writer.setThrottle(key, to: former)
    }
}
