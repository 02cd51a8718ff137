import Crypto
public import GatehouseKit
import Synchronization

/// One provider's credentials and their accounts, in memory, with a switch that makes it fail.
public final class MemoryVault: CredentialVault {
    /// What it throws while it fails.
    public static let fault = ProviderFault("read from the test's vault", code: 7, kind: .storage)

    private struct State {
        var accounts: [AccountReference] = []
        var records: [(record: CredentialRecord, slot: [UInt8]?)] = []
        var readsLeft: Int?
        var reads = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// How many reads succeed from now on, before all others fail; `nil` for every one.
    public var readsLeft: Int? {
        get { state.withLock { $0.readsLeft } }
        set { state.withLock { $0.readsLeft = newValue } }
    }

    /// How often it was read.
    public var reads: Int { state.withLock { $0.reads } }

    private func read<Value: Sendable>(
        _ body: (State) -> Value
    ) throws(ProviderFault) -> Value {
        let value: Value? = state.withLock { state in
            state.reads += 1
            if let left = state.readsLeft {
                guard left > 0 else { return nil }
                state.readsLeft = left - 1
            }
            return body(state)
        }
        guard let value else { throw Self.fault }
        return value
    }

    public func record(key: [UInt8]) throws(ProviderFault) -> CredentialRecord? {
        try read { $0.records.first { $0.record.key == key }?.record }
    }

    public func records(of account: AccountID) throws(ProviderFault) -> [CredentialRecord] {
        try read { $0.records.map(\.record).filter { $0.account == account } }
    }

    public func account(_ id: AccountID) throws(ProviderFault) -> AccountReference? {
        try read { $0.accounts.first { $0.id == id } }
    }

    public func account(named identifier: Identifier) throws(ProviderFault) -> AccountReference? {
        try read { $0.accounts.first { Identifier($0.username) == identifier } }
    }

    public func account(userHandle: [UInt8]) throws(ProviderFault) -> AccountReference? {
        try read { $0.accounts.first { $0.userHandle == userHandle } }
    }
}

// MARK: - What the gateway would write

extension MemoryVault {
    /// Makes an account.
    public func addAccount(_ name: String, groups: [String] = []) -> AccountReference {
        let account = AccountReference(
            id: .random(),
            username: name,
            displayName: name.uppercased(),
            userHandle: Random.bytes(64),
            groups: groups
        )
        state.withLock { $0.accounts.append(account) }
        return account
    }

    /// Stores a credential in place of those in its slot.
    @discardableResult
    public func store(_ new: NewCredential, of account: AccountReference) -> CredentialRecord {
        let record = CredentialRecord(
            id: .random(),
            account: account.id,
            key: new.key,
            payload: new.payload,
            version: 0,
            name: new.name,
            createdAt: Timestamp(milliseconds: 1_700_000_000_000),
            lastUsedAt: nil
        )
        state.withLock { state in
            if let slot = new.slot { state.records.removeAll { $0.slot == slot } }
            state.records.append((record, new.slot))
        }
        return record
    }

    /// Writes what a sign-in changed.
    ///
    /// - Returns: `false` if the change was made from another version, in which case nothing is written.
    @discardableResult
    public func apply(_ evidence: Evidence) -> Bool {
        guard let change = evidence.change else { return true }
        return replacePayload(of: evidence.credential, with: change.payload, ifVersion: change.version)
    }

    /// Replaces a payload as if an earlier or a broken program had written it.
    @discardableResult
    public func replacePayload(of id: CredentialID, with payload: [UInt8], ifVersion version: Int64? = nil) -> Bool {
        state.withLock { state in
            guard let place = state.records.firstIndex(where: { $0.record.id == id }) else { return false }
            let old = state.records[place].record
            guard version.map({ $0 == old.version }) ?? true else { return false }
            state.records[place].record = CredentialRecord(
                id: id,
                account: old.account,
                key: old.key,
                payload: payload,
                version: old.version + 1,
                name: old.name,
                createdAt: old.createdAt,
                lastUsedAt: old.lastUsedAt
            )
            return true
        }
    }

    public func remove(_ id: CredentialID) {
        state.withLock { $0.records.removeAll { $0.record.id == id } }
    }

    public var records: [CredentialRecord] { state.withLock { $0.records.map(\.record) } }
}
