public import GatehouseKit

/// How far the migration has come.
public struct MigrationStatus: Encodable, Sendable {
    public struct Cohort: Encodable, Sendable {
        public let name: String
        public let stage: MigrationStage
        public let deadline: Timestamp?
        public let graceSignIns: Int
        /// Accounts by ``MigrationState``.
        public let accounts: [String: Int]
        /// Of all days: accounts by how far they came, each counted once.
        public let funnel: [String: Int64]
        /// Of all days, by what was answered.
        public let answers: [String: Int64]
        /// Accounts that got a passkey, of those that were asked; `nil` if none was.
        public let acceptance: Double?
    }

    /// One kind of credential, over the days that were asked for.
    public struct Method: Encodable, Sendable {
        public let kind: String
        public let signIns: Int64
        public let share: Double
        /// From the options to the end, within a quarter.
        public let medianMilliseconds: Int64?
        public let p90Milliseconds: Int64?
    }

    /// How many days ``methods`` and ``recoveries`` look back on.
    public let days: Int
    public let cohorts: [Cohort]
    public let methods: [Method]
    /// Times that somebody came back by a link or a recovery code.
    public let recoveries: Int64
}

extension MigrationService {
    /// - Parameter days: How far to look back for sign-ins.
    public func status(days: Int) throws(SignInError) -> MigrationStatus {
        let today = clock.now.day
        let all = try storage.look { (reader) throws(ProviderFault) in
            try reader.measuredCounts(from: 0, through: today)
        }
        let states = try accountsByState()
        let recent = all.filter { $0.day > today - Int64(days) }
        return MigrationStatus(
            days: days,
            cohorts: try settings().map { setting in
                MigrationStatus.Cohort(
                    setting,
                    accounts: states[setting.cohort] ?? [:],
                    all.filter { $0.cohort == setting.cohort }
                )
            },
            methods: Self.methods(recent),
            recoveries: recent.filter { $0.measure.name == .recovered }.reduce(0) { $0 + $1.count }
        )
    }

    private func accountsByState() throws(SignInError) -> [String: [String: Int]] {
        var states: [String: [String: Int]] = [:]
        try forEachAccount { account throws(SignInError) in
            let facts = try storage.look { (reader) throws(ProviderFault) in
                try engine.facts(of: account, registry, reader)
            }
            states[facts.setting.cohort, default: [:]][facts.state.rawValue, default: 0] += 1
        }
        return states
    }

    private static func methods(_ counts: [MeasuredCount]) -> [MigrationStatus.Method] {
        let signIns = counts.filter { $0.measure.name == .signIn }
        let total = signIns.reduce(0) { $0 + $1.count }
        let byKind = signIns.reduce(into: [:]) { $0[$1.measure.label, default: 0] += $1.count }
        return byKind.sorted { $0.key < $1.key }.map { kind, count in
            let durations = durations(of: kind, counts)
            return MigrationStatus.Method(
                kind: kind,
                signIns: count,
                share: Double(count) / Double(max(1, total)),
                medianMilliseconds: DurationBucket.percentile(50, of: durations)?.milliseconds,
                p90Milliseconds: DurationBucket.percentile(90, of: durations)?.milliseconds
            )
        }
    }

    /// How many sign-ins of a kind are in each ``DurationBucket``.
    private static func durations(of kind: String, _ counts: [MeasuredCount]) -> [Int: Int64] {
        counts.reduce(into: [:]) { buckets, each in
            let parts = each.measure.label.split(separator: " ")
            guard each.measure.name == .duration, parts.count == 2, parts[0] == kind, let index = Int(parts[1]) else {
                return
            }
            buckets[index, default: 0] += each.count
        }
    }
}

extension MigrationStatus.Cohort {
    fileprivate init(_ setting: StageSetting, accounts: [String: Int], _ counts: [MeasuredCount]) {
        func total(_ name: MigrationMeasure.Name) -> Int64 {
            counts.filter { $0.measure.name == name }.reduce(0) { $0 + $1.count }
        }
        let steps: [MigrationMeasure.Name] = [.eligible, .offered, .enrolled, .firstUsed, .retired, .reinstated]
        self.init(
            name: setting.cohort,
            stage: setting.stage,
            deadline: setting.deadline,
            graceSignIns: setting.graceSignIns,
            accounts: accounts,
            funnel: steps.reduce(into: [:]) { $0[$1.rawValue] = total($1) },
            answers: counts.filter { $0.measure.name == .answered }
                .reduce(into: [:]) { $0[$1.measure.label, default: 0] += $1.count },
            acceptance: total(.offered) > 0 ? Double(total(.enrolled)) / Double(total(.offered)) : nil
        )
    }
}
