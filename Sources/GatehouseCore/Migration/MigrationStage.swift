public import GatehouseKit

/// How far a cohort has come on its way from passwords to passkeys, first steps first.
public enum MigrationStage: String, CaseIterable, Codable, Comparable, Sendable {
    /// Nobody is asked, and nothing is counted.
    case off
    /// Counted, and nobody is asked.
    case observe
    /// Asked for a passkey, as often as the cadence says.
    case offer
    /// Asked again and again, with the deadline.
    case encourage
    /// From the deadline on, and after the sign-ins of grace, a password lets in to enrol a passkey and for nothing else.
    case require
    /// Passwords are removed where their owners can do without; for everybody else as before.
    case retire

    public static func < (left: Self, right: Self) -> Bool { left.step < right.step }

    private var step: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What was set for a cohort, and by whom.
public struct StageSetting: Equatable, Sendable {
    public let cohort: String
    public let stage: MigrationStage
    /// From when on ``MigrationStage/require`` is meant; at once if `nil`.
    public let deadline: Timestamp?
    /// How often a password alone still lets in after the deadline.
    public let graceSignIns: Int
    public let setAt: Timestamp

    public init(
        cohort: String,
        stage: MigrationStage,
        deadline: Timestamp? = nil,
        graceSignIns: Int = 0,
        setAt: Timestamp
    ) {
        self.cohort = cohort
        self.stage = stage
        self.deadline = deadline
        self.graceSignIns = graceSignIns
        self.setAt = setAt
    }

    /// What holds for a cohort until something is set.
    static func initial(_ cohort: String) -> StageSetting {
        StageSetting(cohort: cohort, stage: .offer, setAt: Timestamp(milliseconds: 0))
    }
}
