public import GatehouseKit

/// What a stage would do to each account of a cohort.
public struct MigrationPlan: Encodable, Sendable {
    /// What becomes of an account, at its next sign-in with a password.
    public enum Outcome: String, CaseIterable, Encodable, Sendable {
        /// It signs in as before, and nobody asks it anything.
        case unchanged
        case offered
        /// It is asked, and told the deadline.
        case pressed
        /// It is in for one of the last times.
        case grace
        /// It is in to enrol a passkey and for nothing else: whoever can't is locked out.
        case enrollOnly = "enroll_only"
        /// Its password is removed.
        case retired
        /// Its password stays, since its passkey never signed in.
        case keptNeverUsed = "kept_passkey_never_used"
        /// Its password stays, since all else that it has is on one device.
        case keptOnlyOne = "kept_only_one_device"
        case withoutPassword = "without_password"
        case disabled
    }

    public struct Entry: Encodable, Sendable {
        public let username: String
        public let cohort: String
        public let outcome: Outcome
    }

    public let stage: MigrationStage
    public let on: Timestamp
    public let counts: [String: Int]
    /// In the order of their names.
    public let accounts: [Entry]
}

extension MigrationService {
    /// Says what a setting would do, and changes nothing.
    ///
    /// - Parameters:
    ///   - cohort: `nil` for all of them.
    ///   - date: The day of the sign-in that is foreseen.
    public func plan(
        _ stage: MigrationStage,
        cohort: String?,
        deadline: Timestamp?,
        graceSignIns: Int,
        on date: Timestamp
    ) throws(SignInError) -> MigrationPlan {
        if let cohort { try check(cohort) }
        let now = clock.now
        var entries: [MigrationPlan.Entry] = []
        try forEachAccount { account throws(SignInError) in
            let name = engine.policy.cohort(of: account)
            guard cohort.map({ $0 == name }) ?? true else { return }
            let setting = StageSetting(
                cohort: name,
                stage: stage,
                deadline: deadline,
                graceSignIns: graceSignIns,
                setAt: now
            )
            let outcome = try storage.look { (reader) throws(ProviderFault) -> MigrationPlan.Outcome in
                try foresee(account, under: setting, on: date, reader)
            }
            entries.append(MigrationPlan.Entry(username: account.username, cohort: name, outcome: outcome))
        }
        let counts = entries.reduce(into: [:]) { $0[$1.outcome.rawValue, default: 0] += 1 }
        return MigrationPlan(stage: stage, on: date, counts: counts, accounts: entries)
    }

    private func foresee(
        _ account: Account,
        under setting: StageSetting,
        on date: Timestamp,
        _ reader: any StorageReader
    ) throws(ProviderFault) -> MigrationPlan.Outcome {
        guard !account.isDisabled else { return .disabled }
        var facts = try engine.facts(of: account, registry, reader)
        facts.setting = setting
        guard facts.hasPassword else { return .withoutPassword }
        if facts.passkeys > 0 {
            guard setting.stage == .retire, facts.isDue(at: date) else { return .unchanged }
            return Self.outcome(of: try engine.retirement(of: account.id, registry, reader))
        }
        switch engine.policy.standing(facts, now: date) {
        case .enrollOnly: return .enrollOnly
        case .grace: return .grace
        case .free: break
        }
        guard let offer = engine.policy.offer(facts, after: MigrationOccasion(.password), now: date) else {
            return .unchanged
        }
        return offer.deadline == nil ? .offered : .pressed
    }

    private static func outcome(of retirement: Retirement) -> MigrationPlan.Outcome {
        switch retirement {
        case .ready: .retired
        case .neverUsed, .noPasskey: .keptNeverUsed
        case .onlyOne: .keptOnlyOne
        }
    }
}
