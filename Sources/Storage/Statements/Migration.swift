import GatehouseCore
import GatehouseKit

extension SQLTransaction: MigrationReader, MigrationWriter {
    func stageSettings() throws(ProviderFault) -> [StageSetting] {
        try connection.query("SELECT cohort, stage, deadline, grace, set_at FROM migration_stage ORDER BY cohort", []) {
            (row) throws(ProviderFault) in
            StageSetting(
                cohort: row.text(0),
                stage: try row.decode(1) { MigrationStage(rawValue: $0) },
                deadline: row.optionalTime(2),
                graceSignIns: Int(clamping: row.integer(3)),
                setAt: row.time(4)
            )
        }
    }

    func set(_ setting: StageSetting) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO migration_stage (cohort, stage, deadline, grace, set_at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (cohort) DO UPDATE
            SET stage = excluded.stage, deadline = excluded.deadline, grace = excluded.grace, set_at = excluded.set_at
            """,
            [
                .text(setting.cohort), .text(setting.stage.rawValue), .optional(setting.deadline),
                .integer(Int64(setting.graceSignIns)), .time(setting.setAt),
            ]
        )
    }

    func migrationRecord(of account: AccountID) throws(ProviderFault) -> MigrationRecord {
        let found = try first(
            """
            SELECT eligible_at, offered_at, enrolled_at, first_used_at, retired_at, reinstated_at, grace_used, grace_from
            FROM migration_account WHERE account = $1
            """,
            [.id(account)],
            Self.migrationRecord
        )
        return found ?? MigrationRecord()
    }

    private static func migrationRecord(_ row: any SQLRow) throws(ProviderFault) -> MigrationRecord {
        var record = MigrationRecord()
        record.eligibleAt = row.optionalTime(0)
        record.offeredAt = row.optionalTime(1)
        record.enrolledAt = row.optionalTime(2)
        record.firstUsedAt = row.optionalTime(3)
        record.retiredAt = row.optionalTime(4)
        record.reinstatedAt = row.optionalTime(5)
        record.graceUsed = Int(clamping: row.integer(6))
        record.graceFrom = row.optionalTime(7)
        return record
    }

    func put(_ record: MigrationRecord, of account: AccountID) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO migration_account
                (account, eligible_at, offered_at, enrolled_at, first_used_at, retired_at, reinstated_at, grace_used,
                 grace_from)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            ON CONFLICT (account) DO UPDATE
            SET eligible_at = excluded.eligible_at, offered_at = excluded.offered_at,
                enrolled_at = excluded.enrolled_at, first_used_at = excluded.first_used_at,
                retired_at = excluded.retired_at, reinstated_at = excluded.reinstated_at,
                grace_used = excluded.grace_used, grace_from = excluded.grace_from
            """,
            [
                .id(account), .optional(record.eligibleAt), .optional(record.offeredAt), .optional(record.enrolledAt),
                .optional(record.firstUsedAt), .optional(record.retiredAt), .optional(record.reinstatedAt),
                .integer(Int64(record.graceUsed)), .optional(record.graceFrom),
            ]
        )
    }

    func count(_ measure: MigrationMeasure, cohort: String, day: Int64) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO migration_count (day, cohort, name, label, count) VALUES ($1, $2, $3, $4, 1)
            ON CONFLICT (day, cohort, name, label) DO UPDATE SET count = migration_count.count + 1
            """,
            [.integer(day), .text(cohort), .text(measure.name.rawValue), .text(measure.label)]
        )
    }

    func measuredCounts(from first: Int64, through last: Int64) throws(ProviderFault) -> [MeasuredCount] {
        try connection.query(
            """
            SELECT day, cohort, name, label, count FROM migration_count
            WHERE day >= $1 AND day <= $2 ORDER BY day, cohort, name, label
            """,
            [.integer(first), .integer(last)]
        ) { (row) throws(ProviderFault) in
            MeasuredCount(
                day: row.integer(0),
                cohort: row.text(1),
                measure: MigrationMeasure(try row.decode(2) { .init(rawValue: $0) }, label: row.text(3)),
                count: row.integer(4)
            )
        }
    }
}
