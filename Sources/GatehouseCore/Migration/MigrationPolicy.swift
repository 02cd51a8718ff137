import Crypto
public import GatehouseKit

/// Who is asked for a passkey, how, and how often.
public struct MigrationPolicy: Equatable, Sendable {
    public let offering: Offering
    public let cadence: OfferCadence
    /// The first that an account belongs to is its own.
    public let cohorts: [MigrationCohort]

    public enum Offering: String, CaseIterable, Sendable {
        /// The whole migration is off, whatever stages were set.
        case off
        case prompt
        /// Made without asking where the client can; then asked for.
        case automatic
    }

    public init(
        offering: Offering = .prompt,
        cadence: OfferCadence = OfferCadence(),
        cohorts: [MigrationCohort] = []
    ) {
        self.offering = offering
        self.cadence = cadence
        self.cohorts = cohorts
    }

    /// The names of all cohorts, that of whoever is in no other at the end.
    public var cohortNames: [String] { cohorts.map(\.name) + [MigrationCohort.everyone] }

    public func cohort(of account: Account) -> String {
        cohorts.first { $0.contains(account) }?.name ?? MigrationCohort.everyone
    }
}

/// How often an account is asked.
public struct OfferCadence: Equatable, Sendable {
    /// How many times in ``MigrationStage/offer``.
    public let asks: Int
    /// How long after the first; twice as long after each further one.
    public let cooldown: Timestamp.Span
    /// How long after each from ``MigrationStage/encourage`` on.
    public let reminder: Timestamp.Span
    /// How long nobody asks whose client said that it can't make passkeys.
    public let pause: Timestamp.Span
    /// Whether an attempt without asking that came to nothing leaves the asking for later.
    public let asksAfterAutomatic: Bool

    public init(
        asks: Int = 1,
        cooldown: Timestamp.Span = .days(30),
        reminder: Timestamp.Span = .days(1),
        pause: Timestamp.Span = .days(90),
        asksAfterAutomatic: Bool = true
    ) {
        self.asks = asks
        self.cooldown = cooldown
        self.reminder = reminder
        self.pause = pause
        self.asksAfterAutomatic = asksAfterAutomatic
    }
}

/// A part of the accounts that goes through the stages together.
public struct MigrationCohort: Equatable, Sendable {
    /// The name of the cohort of whoever is in no other.
    public static let everyone = "everyone"

    public let name: String
    /// Members of any of these; empty for everybody.
    public let groups: [String]
    /// So many in a hundred of them, the same ones each time; with more, those that were in stay in.
    public let percent: Int

    public init(name: String, groups: [String] = [], percent: Int = 100) {
        self.name = name
        self.groups = groups
        self.percent = percent
    }

    func contains(_ account: Account) -> Bool {
        guard groups.isEmpty || groups.contains(where: account.groups.contains) else { return false }
        return percent >= 100 || place(of: account.id) < percent
    }

    /// From 0 to 99, in another order for each cohort.
    private func place(of account: AccountID) -> Int {
        let digest = SHA256.hash(Array("\(name)\0\(account.text)".utf8))
        return Int(digest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } % 100)
    }
}
