import Foundation
import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Testing

/// The stages, with real sign-ins over a real database.
struct MigrationServiceTests {
    private let gateway: Gateway
    private let migration: MigrationService
    private let lee: Account

    init() throws {
        let policy = MigrationPolicy(cohorts: [MigrationCohort(name: "pilot", groups: ["it"])])
        gateway = try Gateway(migration: policy)
        migration = MigrationService(
            storage: gateway.storage,
            registry: gateway.registry,
            engine: MigrationEngine(policy),
            clock: gateway.clock
        )
        lee = try gateway.add("lee", groups: ["it"])
    }

    private func set(_ stage: MigrationStage, cohort: String = "pilot", grace: Int = 0) throws {
        gateway.clock.advance(by: .seconds(1))
        let setting = StageSetting(cohort: cohort, stage: stage, graceSignIns: grace, setAt: gateway.clock.now)
        try migration.set(setting, by: "the tests")
    }

    private func signIn(_ name: String = "lee") throws -> SignInResult {
        try gateway.complete(try gateway.begin(), name)
    }

    private func useBadge(_ number: String) throws -> CachedSession {
        let result = try gateway.complete(try gateway.begin(), "", number, kind: .passkey)
        return CachedSession(session: result.issued.session, account: result.account)
    }

    private func enroll(_ numbers: String..., for name: String = "lee") throws {
        let session = try gateway.session(of: name)
        for number in numbers { try gateway.enrollBadge(number, in: session) }
    }

    private func funnel(_ cohort: String = "pilot") throws -> [String: Int64] {
        try #require(try migration.status(days: 30).cohorts.first { $0.name == cohort }).funnel
    }

    private func state(_ cohort: String = "pilot") throws -> [String: Int] {
        try #require(try migration.status(days: 30).cohorts.first { $0.name == cohort }).accounts
    }

    @Test
    func `required, a password lets in to enrol after the sign-ins of grace, and in full once there is a passkey`()
        throws
    {
        try set(.require, grace: 2)
        #expect(try signIn().issued.session.scope == .full)
        #expect(try signIn().issued.session.scope == .full)
        let restricted = try signIn().issued.session
        #expect(restricted.scope == .firstPasskey)
        try gateway.enrollBadge("7", in: CachedSession(session: restricted, account: lee))
        #expect(try signIn().issued.session.scope == .full)
    }

    @Test func `grace begins anew with each setting, and others have none to use up`() throws {
        try gateway.add("kim")
        try set(.require, grace: 1)
        #expect(try signIn().issued.session.scope == .full)
        #expect(try signIn().issued.session.scope == .firstPasskey)
        #expect(try signIn("kim").issued.session.scope == .full)
        try set(.require, grace: 1)
        #expect(try signIn().issued.session.scope == .full)
    }

    @Test func `a wrong password and a half sign-in use up no grace`() throws {
        try set(.require, grace: 1)
        #expect(refusal { _ = try gateway.complete(try gateway.begin(), "lee", "wrong") } == .credentialRejected)
        #expect(try signIn().issued.session.scope == .full)
    }

    @Test func `retired, a password goes once a passkey was used and something is beside it`() throws {
        try set(.retire)
        let restricted = try signIn().issued.session
        try gateway.enrollBadge("7", in: CachedSession(session: restricted, account: lee))
        let session = try useBadge("7")
        #expect(try gateway.held(by: lee).contains { $0.kind == .password })  // its only device
        try gateway.enrollBadge("8", in: session)
        _ = try useBadge("7")
        #expect(try !gateway.held(by: lee).contains { $0.kind == .password })
        #expect(refusal { _ = try signIn() } == .credentialRejected)
        #expect(try gateway.events(of: lee).contains(.passwordRetired))
    }

    @Test func `what was born from it ends, and nobody sets another`() throws {
        try enroll("7", "8")
        let old = try signIn().issued
        _ = try useBadge("7")
        try set(.retire)
        #expect(try migration.retireAll(in: "pilot") == 1)
        #expect(try migration.retireAll(in: "pilot") == 0)
        gateway.sessions.cache.removeAll()
        #expect(try gateway.sessions.find(old.token) == nil)
        let proved = try useBadge("7")
        #expect(refusal { try setWord("new", in: proved) } == .passwordRetired)
        let link = try gateway.links.redeemRecovery(try gateway.links.issueRecovery(for: lee.id), from: .test)
        let recovered = CachedSession(session: link.issued.session, account: lee)
        #expect(refusal { try setWord("new", in: recovered) } == .credentialRejected)
    }

    private func setWord(_ word: String, in session: CachedSession) throws {
        try gateway.credentials.setSecret(to: Secret(word), checking: nil, in: session, from: .test)
    }

    @Test func `reinstated, it may be set again, and stays until the stage is set anew`() throws {
        try enroll("7", "8")
        _ = try useBadge("7")
        try set(.retire)
        #expect(try migration.retireAll(in: "pilot") == 1)
        #expect(try migration.retired(in: "pilot").map(\.id) == [lee.id])
        try migration.reinstate(lee, by: "the tests")
        try setWord("leelee", in: try useBadge("7"))
        _ = try useBadge("7")
        #expect(try signIn().issued.session.scope == .full)
        #expect(try migration.retireAll(in: "pilot") == 0)
        try set(.retire)
        #expect(try migration.retireAll(in: "pilot") == 1)
    }

    @Test func `before its stage, and for other cohorts, a password stays`() throws {
        try enroll("7", "8")
        _ = try useBadge("7")
        try set(.require)
        #expect(try migration.retireAll(in: "pilot") == 0)
        try set(.retire, cohort: "everyone")
        #expect(try migration.retireAll(in: "everyone") == 0)
        #expect(try signIn().issued.session.scope == .full)
    }

    @Test func `each account is counted once on its way, however often it signs in at once`() throws {
        let gateway = gateway
        let outcomes = race(16) { _ in (try? gateway.complete(try gateway.begin(), "lee")) != nil }
        #expect(outcomes == Array(repeating: true, count: 16))
        try enroll("7", "8")
        for _ in 0..<3 { _ = try useBadge("7") }
        #expect(try funnel()["eligible"] == 1 && funnel()["enrolled"] == 1 && funnel()["first_used"] == 1)
        let methods = try migration.status(days: 1).methods
        #expect(methods.map(\.kind) == ["passkey", "password"] && methods.map(\.signIns) == [3, 17])
        #expect(try state() == ["passkey_primary": 1])
    }

    @Test func `off, nothing is counted`() throws {
        try set(.off)
        _ = try signIn()
        #expect(try funnel().values.allSatisfy { $0 == 0 } && migration.status(days: 1).methods.isEmpty)
        try set(.observe)
        _ = try signIn()
        #expect(try funnel()["eligible"] == 1)
    }

    @Test func `a plan says what becomes of each account, and changes nothing`() throws {
        try enroll("7", "8")
        _ = try useBadge("7")
        for name in ["kim", "joe"] { try gateway.add(name, groups: ["it"]) }
        try enroll("9", for: "kim")
        try gateway.add("outside")
        let now = gateway.clock.now
        func outcomes(_ stage: MigrationStage, deadline: Timestamp? = nil, grace: Int = 0) throws -> [String] {
            try migration.plan(stage, cohort: "pilot", deadline: deadline, graceSignIns: grace, on: now)
                .accounts.map { "\($0.username) \($0.outcome.rawValue)" }
        }
        #expect(try outcomes(.offer) == ["joe offered", "kim unchanged", "lee unchanged"])
        #expect(try outcomes(.encourage, deadline: now + .days(9)).first == "joe pressed")
        #expect(try outcomes(.require).first == "joe enroll_only")
        #expect(try outcomes(.require, grace: 1).first == "joe grace")
        #expect(try outcomes(.retire) == ["joe enroll_only", "kim kept_passkey_never_used", "lee retired"])
        #expect(try signIn("joe").issued.session.scope == .full && signIn().issued.session.scope == .full)
        #expect(try migration.plan(.off, cohort: nil, deadline: nil, graceSignIns: 0, on: now).accounts.count == 4)
        #expect(refusal { try set(.off, cohort: "nobody") } == .notFound)
    }

    @Test func `durations fall into classes, and percentiles are their ends`() throws {
        for seconds in [1, 2, 2, 2, 2, 2, 2, 2, 2, 60] as [Int64] {
            let ceremony = try gateway.begin()
            gateway.clock.advance(by: .seconds(seconds))
            _ = try gateway.complete(ceremony, "lee")
        }
        let method = try #require(try migration.status(days: 1).methods.first)
        let (median, ninety) = (try #require(method.medianMilliseconds), try #require(method.p90Milliseconds))
        #expect((2_000...2_500).contains(median) && median == ninety)
    }
}
