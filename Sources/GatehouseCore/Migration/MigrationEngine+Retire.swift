import GatehouseKit

extension MigrationEngine {
    /// Whether an account's password may go, by what it has now.
    func retirement(
        of account: AccountID,
        _ registry: ProviderRegistry,
        _ reader: any StorageReader
    ) throws(ProviderFault) -> Retirement {
        let all = try reader.credentials(of: account)
        let usable = all.filter(registry.isUsable)
        return Retirement(
            RetirementFacts(
                passkeys: usable.filter { $0.kind == .passkey }.map { passkey in
                    RetirementFacts.Passkey(
                        isUsed: passkey.record.lastUsedAt != nil,
                        outlivesDevice: registry.outlivesDevice(passkey)
                    )
                },
                others: usable.count { $0.kind != .passkey && $0.kind != .password },
                canRecover: all.contains(where: registry.isWayBack)
            )
        )
    }

    /// Removes the password of an account whose stage says so, once it can do without: nothing is kept that could check it.
    ///
    /// - Returns: the sessions that were born from it, which must leave every cache; `nil` if the password stays.
    func retire(
        _ account: Account,
        _ registry: ProviderRegistry,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws -> [TokenDigest]? {
        let facts = try facts(of: account, registry, writer)
        guard facts.hasPassword, facts.setting.stage == .retire, facts.isDue(at: now),
            try retirement(of: account.id, registry, writer) == .ready
        else { return nil }
        let passwords = try writer.credentials(of: account.id).filter { $0.kind == .password }
        let ended = try passwords.flatMap { password in
            let ended = try writer.endSessions(.credential(password.id, except: nil))
            _ = try writer.delete(password.id)
            return ended
        }
        var record = facts.record
        record.retiredAt = now
        try writer.put(record, of: account.id)
        try count(MigrationMeasure(.retired), for: account, at: now, writer)
        try writer.append(AuditEvent(at: now, action: .passwordRetired, account: account.id, kind: .password))
        return ended
    }
}
