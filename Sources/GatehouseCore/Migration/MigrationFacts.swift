public import GatehouseKit

/// All that decides what happens to an account on its way to a passkey.
public struct MigrationFacts: Equatable, Sendable {
    public var setting: StageSetting
    public var hasPassword: Bool
    /// How many passkeys it has that can sign in.
    public var passkeys: Int
    /// What it was asked before, newest first.
    public var asks: [StoredOffer]
    public var record: MigrationRecord

    public init(
        setting: StageSetting,
        hasPassword: Bool = true,
        passkeys: Int = 0,
        asks: [StoredOffer] = [],
        record: MigrationRecord = MigrationRecord()
    ) {
        self.setting = setting
        self.hasPassword = hasPassword
        self.passkeys = passkeys
        self.asks = asks
        self.record = record
    }

    /// Whether an administrator took it back since the stage was set: nothing is demanded of it.
    var isExempt: Bool { record.reinstatedAt.map { $0 >= setting.setAt } ?? false }

    var graceLeft: Int {
        let used = record.graceFrom == setting.setAt ? record.graceUsed : 0
        return max(0, setting.graceSignIns - used)
    }

    func isDue(at now: Timestamp) -> Bool {
        setting.stage >= .require && !isExempt && setting.deadline.map { $0 <= now } ?? true
    }
}

/// What is kept of an account's way.
public struct MigrationRecord: Equatable, Sendable {
    /// When it first signed in with a password and had no passkey.
    public var eligibleAt: Timestamp?
    public var offeredAt: Timestamp?
    /// When it got its first passkey.
    public var enrolledAt: Timestamp?
    /// When it first signed in with a passkey.
    public var firstUsedAt: Timestamp?
    /// Since when its password is gone for good; until it is reinstated.
    public var retiredAt: Timestamp?
    public var reinstatedAt: Timestamp?
    public var graceUsed = 0
    /// The time of the setting under which they were used.
    public var graceFrom: Timestamp?

    public init() {}
}

/// Where an account stands.
public enum MigrationState: String, CaseIterable, Codable, Sendable {
    /// Nobody asked it yet.
    case passwordOnly = "password_only"
    case offered
    case snoozed
    case declined
    /// It has a passkey and never signed in with one.
    case enrolled
    /// It has a passkey in use, and a password.
    case passkeyPrimary = "passkey_primary"
    /// Its password was removed by the migration.
    case passwordRetired = "password_retired"
    /// It never had a password, or its owner removed it.
    case withoutPassword = "without_password"
}

extension MigrationFacts {
    public var state: MigrationState {
        if record.retiredAt != nil { return .passwordRetired }
        guard hasPassword else { return .withoutPassword }
        if passkeys > 0 { return record.firstUsedAt == nil ? .enrolled : .passkeyPrimary }
        guard let last = asks.first else { return .passwordOnly }
        return switch last.answer {
        case .snoozed: .snoozed
        case .declined: .declined
        default: .offered
        }
    }
}
