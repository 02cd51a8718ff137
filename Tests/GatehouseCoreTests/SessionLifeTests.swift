import GatehouseTesting
import Testing

@testable import GatehouseCore
@testable import GatehouseKit

/// How many sessions there are, how long they last, and what becomes of their tokens.
struct SessionLifeTests {
    private static let lifetimes = SessionLifetimes(
        standard: .init(absolute: .hours(10), idle: .hours(1)),
        remembered: .init(absolute: .days(30), idle: .days(7)),
        byKind: [.passkey: .init(absolute: .days(20), idle: .days(20))],
        byGroup: ["admin": .init(absolute: .hours(8), idle: .minutes(10))]
    )

    @Test(arguments: [
        (CredentialKind.password, [String](), false, SessionLifetimes.Lifetime(absolute: .hours(10), idle: .hours(1))),
        (.password, [], true, .init(absolute: .days(30), idle: .days(7))),
        (.passkey, [], true, .init(absolute: .days(20), idle: .days(20))),
        (.password, ["staff"], false, .init(absolute: .hours(10), idle: .hours(1))),
        (.password, ["staff", "admin"], false, .init(absolute: .hours(8), idle: .minutes(10))),
        (.password, ["admin"], true, .init(absolute: .hours(8), idle: .minutes(10))),
    ])
    func `the strictest of kind and group counts, and staying signed in changes the standard alone`(
        kind: CredentialKind,
        groups: [String],
        isRemembered: Bool,
        lifetime: SessionLifetimes.Lifetime
    ) {
        #expect(Self.lifetimes.lifetime(of: kind, groups: groups, isRemembered: isRemembered) == lifetime)
    }

    @Test func `staying signed in is kept from the first call to a session that was stepped up`() throws {
        let gateway = try Gateway(policy: SessionPolicy(lifetimes: Self.lifetimes))
        try gateway.add("lee")
        try gateway.enrollBadge("7", in: try gateway.session(of: "lee"))
        let begun = try gateway.signIn.begin(SignInRequest(isRemembered: true), in: nil)
        let issued = try gateway.complete(begun.ceremony.id, "lee").issued
        #expect(issued.session.isRemembered && issued.session.expiresAt == gateway.clock.now + .days(30))
        let session = try #require(try gateway.sessions.current(issued.token))
        #expect(session.session.isRemembered)
        let stepped = try gateway.complete(
            try gateway.begin(stepUp: StepUp(assurance: .aal2), in: session),
            "",
            "7",
            kind: .passkey,
            in: session
        )
        #expect(stepped.issued.session.isRemembered)
        #expect(stepped.issued.session.expiresAt == gateway.clock.now + .days(20))
    }

    @Test func `where nobody may stay signed in, asking for it changes nothing`() throws {
        let gateway = try Gateway()
        try gateway.add("lee")
        let begun = try gateway.signIn.begin(SignInRequest(isRemembered: true), in: nil)
        let session = try gateway.complete(begun.ceremony.id, "lee").issued.session
        #expect(!session.isRemembered && session.expiresAt == gateway.clock.now + .hours(24))
    }

    @Test func `beyond the limit the session that was unused for longest ends`() throws {
        let gateway = try Gateway(policy: SessionPolicy(sessionLimit: 2))
        let lee = try gateway.add("lee")
        try gateway.add("kim")
        let kim = try gateway.complete(try gateway.begin(), "kim").issued
        let first = try gateway.complete(try gateway.begin(), "lee").issued
        gateway.clock.advance(by: .minutes(5))
        let second = try gateway.complete(try gateway.begin(), "lee").issued
        gateway.clock.advance(by: .minutes(5))
        _ = try gateway.sessions.current(first.token)
        try gateway.sessions.flush()
        let third = try gateway.complete(try gateway.begin(), "lee").issued
        #expect(try gateway.sessions.current(second.token) == nil)
        for kept in [first, third, kim] { #expect(try gateway.sessions.current(kept.token) != nil) }
        #expect(try gateway.events(of: lee).contains(.sessionsEnded))
    }

    // MARK: Their end

    private static let short = SessionPolicy(
        lifetimes: SessionLifetimes(standard: .init(absolute: .seconds(60), idle: .seconds(20)))
    )

    @Test(arguments: [(every: Int64(5), end: Int64(60)), (19, 76), (20, 20), (25, 25)])
    func `use keeps a session alive up to its absolute end, and no longer`(every: Int64, end: Int64) throws {
        let gateway = try Gateway(policy: Self.short)
        try gateway.add("lee")
        let token = try gateway.complete(try gateway.begin(), "lee").issued.token
        var elapsed: Int64 = 0
        repeat {
            gateway.clock.advance(by: .seconds(every))
            elapsed += every
        } while try gateway.sessions.current(token) != nil && elapsed < 600
        #expect(elapsed == end)
        #expect(try gateway.sessions.current(token) == nil)
    }

    @Test(arguments: [Int64(20), 60])
    func `a clock that is set back revives no session`(end: Int64) throws {
        let gateway = try Gateway(policy: Self.short)
        try gateway.add("lee")
        let token = try gateway.complete(try gateway.begin(), "lee").issued.token
        let clock = SystemClock { [wall = gateway.clock] in wall.now.milliseconds }
        let sessions = SessionService(storage: gateway.storage, policy: Self.short, clock: clock)
        #expect(try sessions.current(token) != nil)
        gateway.clock.advance(by: .seconds(end))
        #expect(try sessions.current(token) == nil)
        gateway.clock.advance(by: .hours(-1))
        #expect(try sessions.current(token) == nil)
        sessions.cache.removeAll()
        #expect(try sessions.current(token) == nil)
        let found = try #require(try sessions.find(token))
        #expect(!Self.short.isAlive(found.session, lastSeen: found.lastSeen, now: clock.now))
    }

    // MARK: Tokens of sessions that were ended

    private func uses(_ gateway: Gateway, _ account: Account) throws -> [AuditEvent] {
        try gateway.audit(of: account).filter { $0.action == .endedSessionUsed }
    }

    @Test func `the token of an ended session is noticed once, with where it came from`() throws {
        let gateway = try Gateway()
        let lee = try gateway.add("lee")
        let issued = try gateway.complete(try gateway.begin(), "lee").issued
        try gateway.sessions.end(
            .one(issued.session.id),
            by: AuditEvent(at: gateway.clock.now, action: .signedOut, account: lee.id)
        )
        for _ in 0..<3 { #expect(try gateway.sessions.current(issued.token, from: "192.0.2.9") == nil) }
        let uses = try uses(gateway, lee)
        #expect(uses.map(\.session) == [issued.session.id] && uses.first?.address == "192.0.2.9")
        #expect(try gateway.sessions.current(.random(), from: "192.0.2.9") == nil)
    }

    @Test func `a replaced token is noticed once its overlap is over, and not before`() throws {
        let gateway = try Gateway()
        let lee = try gateway.add("lee")
        try gateway.enrollBadge("7", in: try gateway.session(of: "lee"))
        let weak = try gateway.complete(try gateway.begin(), "lee").issued
        let session = try #require(try gateway.sessions.current(weak.token))
        let ceremony = try gateway.begin(stepUp: StepUp(kinds: [.passkey]), in: session)
        _ = try gateway.complete(ceremony, "", "7", kind: .passkey, in: session)
        #expect(try gateway.sessions.find(weak.token) != nil)
        #expect(gateway.sessions.cached(weak.token) != nil)
        #expect(try uses(gateway, lee).isEmpty)
        gateway.clock.advance(by: .seconds(10))
        #expect(gateway.sessions.cached(weak.token) == nil)
        #expect(try gateway.sessions.find(weak.token) == nil)
        #expect(try uses(gateway, lee).count == 1)
    }
}
