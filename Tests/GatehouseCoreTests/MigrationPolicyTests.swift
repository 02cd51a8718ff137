import GatehouseKit
import GatehouseTesting
import Testing

@testable import GatehouseCore

/// The engine's decisions, by the facts alone.
struct MigrationPolicyTests {
    private static let start = Timestamp(milliseconds: 1_000_000_000_000)
    private let policy = MigrationPolicy(cadence: OfferCadence(asks: 3))

    private func setting(_ stage: MigrationStage, due: Timestamp? = nil, grace: Int = 0) -> StageSetting {
        StageSetting(cohort: "everyone", stage: stage, deadline: due, graceSignIns: grace, setAt: Self.start)
    }

    private func ask(
        _ answer: StoredOffer.Answer?,
        _ mode: StoredOffer.Mode = .prompt,
        daysAgo days: Int64 = 0
    ) -> StoredOffer {
        StoredOffer(
            id: .random(),
            account: .random(),
            session: .random(),
            kind: .passkey,
            mode: mode,
            madeAt: Self.start - .days(days),
            answer: answer
        )
    }

    private func offer(
        _ facts: MigrationFacts,
        _ policy: MigrationPolicy? = nil,
        after occasion: MigrationOccasion = MigrationOccasion(.password)
    ) -> OfferDecision? {
        (policy ?? self.policy).offer(facts, after: occasion, now: Self.start)
    }

    @Test(arguments: zip(MigrationStage.allCases, [false, false, true, true, true, true]))
    func `a password sign-in is followed by an offer from its stage on`(stage: MigrationStage, isAsked: Bool) {
        #expect((offer(MigrationFacts(setting: setting(stage))) != nil) == isAsked)
    }

    @Test func `whoever has a passkey, or signed in otherwise, is not asked`() {
        let facts = MigrationFacts(setting: setting(.require))
        #expect(offer(facts) != nil)
        #expect(offer(MigrationFacts(setting: setting(.require), passkeys: 1)) == nil)
        #expect(offer(facts, after: MigrationOccasion(.trustedDevice)) == nil)
        #expect(offer(facts, after: MigrationOccasion(.apple)) == nil)
    }

    @Test func `after a passkey on another device one is offered for this one`() {
        let facts = MigrationFacts(setting: setting(.offer), passkeys: 1)
        #expect(offer(facts, after: MigrationOccasion(.passkey)) == nil)
        #expect(offer(facts, after: MigrationOccasion(.passkey, isFromOtherDevice: true))?.mode == .prompt)
    }

    @Test func `each ask waits twice as long as the one before, and there is a last`() {
        func isAsked(_ asks: [StoredOffer]) -> Bool {
            offer(MigrationFacts(setting: setting(.offer), asks: asks)) != nil
        }
        #expect(!isAsked([ask(.snoozed, daysAgo: 29)]) && isAsked([ask(.snoozed, daysAgo: 30)]))
        let first = ask(.snoozed, daysAgo: 200)
        #expect(!isAsked([ask(.snoozed, daysAgo: 59), first]) && isAsked([ask(.snoozed, daysAgo: 60), first]))
        #expect(!isAsked([ask(.snoozed, daysAgo: 900), first, first]))
        #expect(offer(MigrationFacts(setting: setting(.offer), asks: [first]), MigrationPolicy()) == nil)
    }

    @Test func `no is no, until the stage presses`() {
        let declined = [ask(.declined, daysAgo: 500)]
        #expect(offer(MigrationFacts(setting: setting(.offer), asks: declined)) == nil)
        #expect(offer(MigrationFacts(setting: setting(.encourage), asks: declined)) != nil)
        #expect(offer(MigrationFacts(setting: setting(.encourage), asks: [ask(.declined)])) == nil)
    }

    @Test func `whose device can't make passkeys is left alone for a while, at every stage`() {
        for stage in [MigrationStage.offer, .encourage] {
            let facts = { (days: Int64) in
                MigrationFacts(setting: setting(stage), asks: [ask(.unsupported, daysAgo: days)])
            }
            #expect(offer(facts(89)) == nil && offer(facts(90)) != nil)
        }
    }

    @Test func `an attempt without asking comes first, and the asking after it only by policy`() {
        let automatic = MigrationPolicy(offering: .automatic)
        let facts = { (asks: [StoredOffer]) in MigrationFacts(setting: setting(.offer), asks: asks) }
        #expect(offer(facts([]), automatic)?.mode == .automatic)
        #expect(offer(facts([ask(.failed, .automatic)]), automatic)?.mode == .prompt)
        #expect(offer(facts([ask(.unsupported, .automatic)]), automatic)?.mode == .prompt)
        #expect(offer(facts([ask(nil, .automatic)]), automatic) == nil)
        let quiet = MigrationPolicy(offering: .automatic, cadence: OfferCadence(asksAfterAutomatic: false))
        #expect(offer(facts([ask(.failed, .automatic)]), quiet) == nil)
    }

    @Test func `the deadline is told from encourage on`() {
        let due = Self.start + .days(7)
        #expect(offer(MigrationFacts(setting: setting(.offer, due: due)))?.deadline == nil)
        #expect(offer(MigrationFacts(setting: setting(.encourage, due: due)))?.deadline == due)
        #expect(offer(MigrationFacts(setting: setting(.require, due: due)))?.mode == .prompt)
        let now = setting(.require, due: Self.start)
        #expect(offer(MigrationFacts(setting: now, asks: [ask(.snoozed)]))?.mode == .required)
    }

    @Test(arguments: [MigrationStage.require, .retire])
    func `a password alone is good for less once it is due, after the grace`(stage: MigrationStage) {
        func standing(_ facts: MigrationFacts) -> PasswordStanding { policy.standing(facts, now: Self.start) }
        #expect(standing(MigrationFacts(setting: setting(stage))) == .enrollOnly)
        #expect(standing(MigrationFacts(setting: setting(stage, due: Self.start + .days(1)))) == .free)
        #expect(standing(MigrationFacts(setting: setting(stage), passkeys: 1)) == .free)
        var facts = MigrationFacts(setting: setting(stage, grace: 2))
        #expect(standing(facts) == .grace(left: 1))
        facts.record.graceUsed = 2
        #expect(standing(facts) == .grace(left: 1))  // under another setting
        facts.record.graceFrom = Self.start
        #expect(standing(facts) == .enrollOnly)
    }

    @Test(arguments: [MigrationStage.off, .observe, .offer, .encourage])
    func `before that it is as good as ever`(stage: MigrationStage) {
        #expect(policy.standing(MigrationFacts(setting: setting(stage)), now: Self.start) == .free)
    }

    @Test func `nothing is demanded of who was reinstated since, until the stage is set anew`() {
        var facts = MigrationFacts(setting: setting(.require, grace: 0))
        facts.record.reinstatedAt = Self.start
        #expect(policy.standing(facts, now: Self.start) == .free)
        facts.record.reinstatedAt = Self.start - .seconds(1)
        #expect(policy.standing(facts, now: Self.start) == .enrollOnly)
    }

    @Test func `switched off it does nothing, whatever is set`() {
        let off = MigrationPolicy(offering: .off)
        for stage in MigrationStage.allCases {
            let facts = MigrationFacts(setting: setting(stage))
            #expect(offer(facts, off) == nil && off.standing(facts, now: Self.start) == .free)
        }
    }
}

/// Who is in which cohort.
struct MigrationCohortTests {
    @Test func `the first that fits counts, and the rest is everyone`() throws {
        let policy = MigrationPolicy(cohorts: [
            MigrationCohort(name: "pilot", groups: ["it"]),
            MigrationCohort(name: "all-staff", groups: ["staff", "it"]),
        ])
        #expect(try policy.cohort(of: .named("lee", groups: ["it", "staff"])) == "pilot")
        #expect(try policy.cohort(of: .named("kim", groups: ["staff"])) == "all-staff")
        #expect(try policy.cohort(of: .named("joe", groups: [])) == "everyone")
    }

    @Test func `a share is about as large as it says, stays the same, and only grows`() throws {
        let accounts = try (0..<4_000).map { try Account.named("user\($0)", groups: []) }
        func members(_ percent: Int) -> Set<AccountID> {
            let cohort = MigrationCohort(name: "first", percent: percent)
            return Set(accounts.filter(cohort.contains).map(\.id))
        }
        let (five, twenty) = (members(5), members(20))
        #expect((120...280).contains(five.count) && (680...920).contains(twenty.count))
        #expect(five == members(5) && five.isSubset(of: twenty) && members(100).count == 4_000)
        let other = MigrationCohort(name: "second", percent: 20)
        #expect(Set(accounts.filter(other.contains).map(\.id)) != twenty)
    }
}

/// When a password may go.
struct RetirementTests {
    private typealias Passkey = RetirementFacts.Passkey
    private static let used = Passkey(isUsed: true, outlivesDevice: false)
    private static let synced = Passkey(isUsed: true, outlivesDevice: true)
    private static let unused = Passkey(isUsed: false, outlivesDevice: true)

    @Test func `with a passkey in use and something beside it`() {
        #expect(Retirement(RetirementFacts(passkeys: [Self.synced])) == .ready)
        #expect(Retirement(RetirementFacts(passkeys: [Self.used, Self.unused])) == .ready)
        #expect(Retirement(RetirementFacts(passkeys: [Self.used], others: 1)) == .ready)
        #expect(Retirement(RetirementFacts(passkeys: [Self.used], canRecover: true)) == .ready)
    }

    @Test func `and else it stays`() {
        #expect(Retirement(RetirementFacts(passkeys: [], others: 2, canRecover: true)) == .noPasskey)
        #expect(Retirement(RetirementFacts(passkeys: [Self.unused, Self.unused])) == .neverUsed)
        #expect(Retirement(RetirementFacts(passkeys: [Self.used])) == .onlyOne)
    }
}
