import GatehouseKit
import GatehouseTesting
import Storage
import Testing

@testable import GatehouseCore

private let start = Timestamp(milliseconds: 1_780_000_000_000)

struct FailureRuleTests {
    @Test func `waits double after the free failures, up to the longest`() {
        let rule = Backoff(freeFailures: 3, longestWait: .minutes(1))
        var state: ThrottleState?
        var waits: [Int64] = []
        for _ in 0..<12 {
            state = rule.failing(state, now: start)
            waits.append(((state?.blockedUntil ?? start) - start).wholeSeconds)
        }
        #expect(waits == [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
    }

    @Test func `a wait is told in seconds and is over when it says`() throws {
        let state = ThrottleState(failures: 9, blockedUntil: start + .seconds(10), lastFailureAt: start)
        #expect { try state.check("too many", now: start) } throws: { error in
            (error as? Refusal)?.remedy == .retryAfter(11)
        }
        try state.check("too many", now: start + .seconds(10))
    }

    @Test func `failures are forgotten after a day, so nothing locks for good`() {
        let rule = Backoff(freeFailures: 3, longestWait: .minutes(1))
        let old = ThrottleState(failures: 1_000, blockedUntil: start, lastFailureAt: start)
        #expect(rule.failing(old, now: start + .hours(24)).failures == 1)
        #expect(rule.failing(old, now: start + .hours(23)).failures == 1_001)
    }

    @Test func `at most a hundred guesses in a row fit into a day by default`() {
        let policy = ThrottlePolicy()
        let rule = Backoff(freeFailures: policy.freeFailures, longestWait: policy.longestWait)
        var (now, guesses) = (start, 0)
        var state: ThrottleState?
        while now < start + .hours(24) {
            state = rule.failing(state, now: now)
            guesses += 1
            now = max(now + Timestamp.Span(milliseconds: 1), state?.blockedUntil ?? now)
        }
        #expect(guesses <= 110)
    }

    @Test func `a rate allows its burst, then one at a time`() {
        let rule = FailureRate(6, in: .minutes(1))
        var state: ThrottleState?
        for _ in 0..<6 {
            #expect((state?.blockedUntil ?? start) <= start)
            state = rule.failing(state, now: start)
        }
        #expect(state?.blockedUntil == start + .seconds(10))
        state = rule.failing(state, now: start + .seconds(10))
        #expect(state?.blockedUntil == start + .seconds(20))
        #expect(rule.failing(state, now: start + .minutes(5)).blockedUntil <= start + .minutes(5))
    }

    @Test func `what is taken back was never counted`() throws {
        for rule in [Backoff(freeFailures: 2, longestWait: .minutes(1)), FailureRate(3, in: .minutes(1))]
            as [any FailureRule]
        {
            let two = rule.failing(rule.failing(nil, now: start), now: start)
            #expect(try #require(rule.takingBack(rule.failing(two, now: start))) == two)
        }
        let none = ThrottleState(failures: 0, blockedUntil: start, lastFailureAt: start)
        #expect(Backoff(freeFailures: 1, longestWait: .minutes(1)).takingBack(none) == nil)
    }
}

struct GuessThrottleTests {
    private let folder = TemporaryFolder()
    private let storage: SQLiteStorage
    private let throttle = GuessThrottle(
        ThrottlePolicy(freeFailures: 3, freeFailuresPerName: 6, perAddressPerHour: 9, perMinute: 12)
    )

    init() throws { storage = try SQLiteStorage(command: folder.database) }

    private func guess(_ name: String, from source: String, _ kind: CredentialKind = .password) -> Guess {
        Guess(identifier: .claimed(name), kind: kind, source: source)
    }

    /// - Returns: how many of the tries were let through to be checked, and were wrong.
    private func failures(_ guesses: [Guess], isAccount: Bool = true) -> Int {
        guesses.count { isLet(through: $0, isAccount: isAccount) }
    }

    private func isLet(through guess: Guess, isAccount: Bool = true) -> Bool {
        (try? storage.write { [throttle] writer in
            try throttle.reserve(guess, isAccount: isAccount, at: start, writer)
        }) != nil
    }

    private func signIn(_ guess: Guess) throws {
        try storage.write { [throttle] writer in
            try throttle.reserve(guess, isAccount: true, at: start, writer)
            try throttle.succeeded(guess, at: start, writer)
        }
    }

    private func addresses(_ count: Int) -> [String] { (0..<count).map { "192.0.2.\($0)" } }
    private func names(_ count: Int) -> [String] { (0..<count).map { "name\($0)" } }

    @Test func `who guesses at a name waits, and nobody else does`() {
        #expect(failures(Array(repeating: guess("lee", from: "a"), count: 10)) == 3)
        #expect(isLet(through: guess("lee", from: "b")))
        #expect(isLet(through: guess("kim", from: "a")))
        #expect(isLet(through: guess("lee", from: "a", .trustedDevice)))
    }

    @Test func `a name is guessed at from many addresses no faster`() {
        #expect(failures(addresses(20).map { guess("lee", from: $0) }) == 6)
    }

    @Test func `an address tries many names no faster, whether anybody has them or not`() {
        #expect(failures(names(20).map { guess($0, from: "a") }, isAccount: false) == 9)
        #expect(!isLet(through: guess("lee", from: "a")))
        #expect(isLet(through: guess("lee", from: "b")))
    }

    @Test func `many names are tried from many addresses no faster`() {
        #expect(failures(zip(names(20), addresses(20)).map { guess($0, from: $1) }) == 12)
    }

    @Test func `names that nobody has hold nobody up elsewhere`() {
        #expect(failures(zip(names(20), addresses(20)).map { guess($0, from: $1) }, isAccount: false) == 20)
        #expect(isLet(through: guess("lee", from: "c")))
    }

    @Test func `where an account was signed in to, its owner is not kept out by an attack`() throws {
        try signIn(guess("lee", from: "home"))
        _ = failures(addresses(20).map { guess("lee", from: $0) })
        _ = failures(names(20).map { guess($0, from: "home") })
        #expect(!isLet(through: guess("lee", from: "abroad")))
        #expect(!isLet(through: guess("kim", from: "home")))
        #expect(isLet(through: guess("lee", from: "home")))
        // But not without end.
        #expect(failures(Array(repeating: guess("lee", from: "home"), count: 10)) == 2)
    }

    @Test func `a sign-in forgets the failures at its name, and those of its address stay`() throws {
        _ = failures(Array(repeating: guess("lee", from: "a"), count: 2))
        try signIn(guess("lee", from: "a"))
        #expect(failures(Array(repeating: guess("lee", from: "a"), count: 10)) == 3)
        #expect(failures(names(20).map { guess($0, from: "a") }) == 7)
    }

    @Test func `what was no failure is taken back`() throws {
        let lee = guess("lee", from: "a")
        for _ in 0..<20 {
            try storage.write { [throttle] writer in
                try throttle.reserve(lee, isAccount: true, at: start, writer)
                try throttle.takeBack(lee, isAccount: true, at: start, writer)
            }
        }
        #expect(failures(Array(repeating: lee, count: 10)) == 3)
    }
}
