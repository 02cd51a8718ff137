public import GatehouseKit

/// What administrators do with the migration: look, plan, set stages, and take back.
///
/// Every call may block and is made on a worker lane or by a command.
public struct MigrationService: Sendable {
    let storage: any Storage
    let registry: ProviderRegistry
    let engine: MigrationEngine
    let clock: any Clock

    public init(storage: any Storage, registry: ProviderRegistry, engine: MigrationEngine, clock: any Clock) {
        self.storage = storage
        self.registry = registry
        self.engine = engine
        self.clock = clock
    }

    /// What is set for each cohort, in the order of the configuration.
    public func settings() throws(SignInError) -> [StageSetting] {
        let stored = try storage.look { (reader) throws(ProviderFault) in try reader.stageSettings() }
        return engine.policy.cohortNames.map { name in stored.first { $0.cohort == name } ?? .initial(name) }
    }

    /// Sets a stage; from then on each sign-in goes by it.
    ///
    /// - Parameter actor: Who does it, for the audit log.
    /// - Throws: ``Refusal`` with `not_found` for a cohort that the configuration doesn't have.
    public func set(_ setting: StageSetting, by actor: String) throws(SignInError) {
        try check(setting.cohort)
        let end = setting.deadline.map { ", due \($0.rfc3339)" } ?? ""
        let grace = setting.graceSignIns > 0 ? ", \(setting.graceSignIns) sign-ins of grace" : ""
        try storage.write { writer in
            try writer.set(setting)
            try writer.append(
                AuditEvent(
                    at: setting.setAt,
                    action: .stageSet,
                    code: setting.stage.rawValue,
                    reason: "cohort \(setting.cohort)\(end)\(grace), by \(actor)"
                )
            )
        }
    }

    func check(_ cohort: String) throws(SignInError) {
        guard engine.policy.cohortNames.contains(cohort) else {
            throw .refused(Refusal(.notFound, "no such cohort"))
        }
    }

    /// Removes the passwords that may go by now, an account at a time; the others go as their owners sign in.
    ///
    /// - Returns: How many were removed.
    public func retireAll(in cohort: String) throws(SignInError) -> Int {
        try check(cohort)
        var count = 0
        try forEachAccount { account throws(SignInError) in
            guard engine.policy.cohort(of: account) == cohort else { return }
            let now = clock.now
            let isRetired = try storage.write { [engine, registry] writer in
                try engine.retire(account, registry, at: now, writer) != nil
            }
            if isRetired { count += 1 }
        }
        return count
    }

    /// Lets an account have a password again; nothing is demanded of it until its cohort's stage is set anew.
    public func reinstate(_ account: Account, by actor: String) throws(SignInError) {
        let now = clock.now
        try storage.write { [engine] writer in
            var record = try writer.migrationRecord(of: account.id)
            record.retiredAt = nil
            record.reinstatedAt = now
            try writer.put(record, of: account.id)
            try engine.count(MigrationMeasure(.reinstated), for: account, at: now, writer)
            try writer.append(
                AuditEvent(
                    at: now,
                    action: .passwordReinstated,
                    account: account.id,
                    kind: .password,
                    reason: "by \(actor)"
                )
            )
        }
    }

    /// All accounts of a cohort whose passwords were retired.
    public func retired(in cohort: String) throws(SignInError) -> [Account] {
        try check(cohort)
        var found: [Account] = []
        try forEachAccount { account throws(SignInError) in
            guard engine.policy.cohort(of: account) == cohort else { return }
            let record = try storage.look { (reader) throws(ProviderFault) in
                try reader.migrationRecord(of: account.id)
            }
            if record.retiredAt != nil { found.append(account) }
        }
        return found
    }

    /// In the order of their names, a page at a time, so that a gateway beside it waits for nobody.
    func forEachAccount(_ body: (Account) throws(SignInError) -> Void) throws(SignInError) {
        var last: Identifier?
        while true {
            let page = try storage.look { (reader) throws(ProviderFault) in
                try reader.accounts(after: last, limit: 500)
            }
            for account in page { try body(account) }
            guard let end = page.last else { return }
            last = end.identifier
        }
    }
}
