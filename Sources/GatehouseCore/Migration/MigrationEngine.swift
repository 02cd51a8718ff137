import GatehouseKit

/// The one that reads and writes an account's way from passwords to passkeys, within the transactions that change it.
public struct MigrationEngine: Sendable {
    public let policy: MigrationPolicy

    public init(_ policy: MigrationPolicy = MigrationPolicy()) { self.policy = policy }

    func setting(for account: Account, _ reader: any StorageReader) throws(ProviderFault) -> StageSetting {
        let cohort = policy.cohort(of: account)
        return try reader.stageSettings().first { $0.cohort == cohort } ?? .initial(cohort)
    }

    func facts(
        of account: Account,
        _ registry: ProviderRegistry,
        _ reader: any StorageReader
    ) throws(ProviderFault) -> MigrationFacts {
        let usable = try reader.credentials(of: account.id).filter(registry.isUsable)
        return MigrationFacts(
            setting: try setting(for: account, reader),
            hasPassword: usable.contains { $0.kind == .password },
            passkeys: usable.count { $0.kind == .passkey },
            asks: try reader.offers(to: account.id, of: .passkey),
            record: try reader.migrationRecord(of: account.id)
        )
    }

    /// What a sign-in with this kind is good for; anything but a password is free.
    func standing(
        of account: Account,
        signingInWith kind: CredentialKind,
        _ registry: ProviderRegistry,
        at now: Timestamp,
        _ reader: any StorageReader
    ) throws(ProviderFault) -> PasswordStanding {
        guard kind == .password, registry[.passkey] is any EnrollingProvider else { return .free }
        return policy.standing(try facts(of: account, registry, reader), now: now)
    }
}

/// Events, each written in the transaction in which it happens.
extension MigrationEngine {
    /// - Parameter begunAt: When the options were asked for.
    /// - Returns: the sessions that ended because the password was retired.
    func noteSignIn(
        of account: Account,
        with kind: CredentialKind,
        begunAt: Timestamp,
        standing: PasswordStanding,
        _ registry: ProviderRegistry,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws -> [TokenDigest] {
        guard policy.offering != .off else { return [] }
        let facts = try facts(of: account, registry, writer)
        guard facts.setting.stage > .off else { return [] }
        var record = facts.record
        var counts = [MigrationMeasure.signIn(kind), .duration(now - begunAt, kind)]
        if kind == .password, facts.passkeys == 0, record.eligibleAt == nil {
            record.eligibleAt = now
            counts.append(MigrationMeasure(.eligible))
        }
        if kind == .passkey, record.firstUsedAt == nil {
            record.firstUsedAt = now
            counts.append(MigrationMeasure(.firstUsed))
        }
        if case .grace = standing { record.useGrace(under: facts.setting) }
        if record != facts.record { try writer.put(record, of: account.id) }
        try count(counts, facts.setting.cohort, at: now, writer)
        return kind == .passkey ? try retire(account, registry, at: now, writer) ?? [] : []
    }

    func noteEnrollment(of kind: CredentialKind, to account: Account, at now: Timestamp, _ writer: any StorageWriter)
        throws
    {
        guard kind == .passkey, policy.offering != .off else { return }
        var record = try writer.migrationRecord(of: account.id)
        guard record.enrolledAt == nil else { return }
        record.enrolledAt = now
        try writer.put(record, of: account.id)
        try count([MigrationMeasure(.enrolled)], policy.cohort(of: account), at: now, writer)
    }

    func noteOffer(to account: Account, at now: Timestamp, _ writer: any StorageWriter) throws {
        var record = try writer.migrationRecord(of: account.id)
        guard record.offeredAt == nil else { return }
        record.offeredAt = now
        try writer.put(record, of: account.id)
        try count([MigrationMeasure(.offered)], policy.cohort(of: account), at: now, writer)
    }

    func count(_ measure: MigrationMeasure, for account: Account, at now: Timestamp, _ writer: any StorageWriter) throws
    {
        guard policy.offering != .off else { return }
        try count([measure], policy.cohort(of: account), at: now, writer)
    }

    private func count(
        _ measures: [MigrationMeasure],
        _ cohort: String,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws {
        for measure in measures { try writer.count(measure, cohort: cohort, day: now.day) }
    }
}

extension MigrationRecord {
    fileprivate mutating func useGrace(under setting: StageSetting) {
        graceUsed = graceFrom == setting.setAt ? graceUsed + 1 : 1
        graceFrom = setting.setAt
    }
}
