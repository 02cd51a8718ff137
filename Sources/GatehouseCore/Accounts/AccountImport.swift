public import GatehouseKit

/// One run of an import.
///
/// Takes records one by one and stores them in batches, each of them one transaction; so a run that was interrupted is
/// taken up again by another over the same records. An account that is there already is never touched.
public struct AccountImport {
    private let storage: any Storage
    private let provider: any ImportingProvider
    private let clock: any Clock
    private let isDryRun: Bool
    private var waiting: [Candidate] = []
    /// Hashes of the names and addresses that came before: a hash is shorter than a name, and there may be millions.
    private var seen: Set<Int> = []

    /// How many records one transaction takes: few enough that a gateway beside it waits for milliseconds.
    static let batchSize = 250

    /// - Parameter isDryRun: Only find out what would happen.
    public init(storage: any Storage, provider: any ImportingProvider, clock: any Clock, isDryRun: Bool) {
        self.storage = storage
        self.provider = provider
        self.clock = clock
        self.isDryRun = isDryRun
    }

    /// Takes a record.
    ///
    /// - Returns: what became of it and those before it, in their order; nothing while they wait for a full batch.
    public mutating func add(_ record: ForeignRecord) throws(SignInError) -> [ImportedRecord] {
        waiting.append(candidate(record))
        return waiting.count < Self.batchSize ? [] : try finish()
    }

    /// Stores what waits.
    public mutating func finish() throws(SignInError) -> [ImportedRecord] {
        let batch = waiting
        let outcomes = isDryRun ? try foreseen(batch) : try stored(batch)
        waiting = []
        return zip(batch, outcomes).map {
            ImportedRecord(place: $0.place, username: $0.username, outcome: $1)
        }
    }

    private mutating func candidate(_ record: ForeignRecord) -> Candidate {
        var name: String?
        do throws(Refusal) {
            let foreign = try record.account.get()
            name = Self.shownName(foreign)
            let new = try new(foreign)
            try claim(new.account)
            return Candidate(place: record.place, username: name, content: .success(new))
        } catch {
            return Candidate(place: record.place, username: name, content: .failure(error))
        }
    }

    private func new(_ foreign: ForeignAccount) throws(Refusal) -> NewAccount {
        let now = clock.now
        let account = AccountService.account(try foreign.profile(), at: now)
        let kind = provider.kind
        guard let secret = foreign.storedSecret else {
            return NewAccount(account: account, credential: nil, isDisabled: foreign.isDisabled)
        }
        let new = try provider.credential(importing: secret, of: account.reference)
        let credential = StoredCredential.enrolled(new, kind: kind, of: account.id, at: now, settlesAt: now)
        return NewAccount(account: account, credential: credential, isDisabled: foreign.isDisabled)
    }

    private mutating func claim(_ account: Account) throws(Refusal) {
        let keys = [account.identifier.hashValue, account.email?.lowercased().hashValue].compactMap(\.self)
        guard seen.isDisjoint(with: keys) else {
            throw Refusal(
                .invalidValue,
                "a record before it has the same user name or e-mail address, in whatever case"
            )
        }
        seen.formUnion(keys)
    }

    /// A name that can be shown; where columns are mixed up it may be a hash.
    private static func shownName(_ foreign: ForeignAccount) -> String? {
        guard let name = foreign.username ?? foreign.email, AccountProfile.isShowable(name, in: 1...64),
            !name.contains("$"), !name.contains("{")
        else { return nil }
        return name
    }
}

extension AccountImport {
    fileprivate struct NewAccount: Sendable {
        let account: Account
        let credential: StoredCredential?
        let isDisabled: Bool
    }

    fileprivate struct Candidate: Sendable {
        let place: ForeignRecord.Place
        let username: String?
        let content: Result<NewAccount, Refusal>

        func outcome<E: Error>(
            _ take: (NewAccount) throws(E) -> ImportedRecord.Outcome
        ) throws(E) -> ImportedRecord.Outcome {
            switch content {
            case .success(let new): try take(new)
            case .failure(let refusal): .refused(refusal.reason)
            }
        }
    }

    private func foreseen(_ batch: [Candidate]) throws(SignInError) -> [ImportedRecord.Outcome] {
        try storage.look { (reader) throws(ProviderFault) in
            var outcomes: [ImportedRecord.Outcome] = []
            for candidate in batch {
                outcomes.append(try candidate.outcome { (new) throws(ProviderFault) in try Self.foresee(new, reader) })
            }
            return outcomes
        }
    }

    private static func foresee(
        _ new: NewAccount,
        _ reader: any StorageReader
    ) throws(ProviderFault) -> ImportedRecord.Outcome {
        let hasName = try reader.account(named: new.account.identifier) != nil
        let hasAddress = try hasAddress(of: new, reader)
        return hasName || hasAddress ? .existing : .imported(hasSecret: new.credential != nil)
    }

    private func stored(_ batch: [Candidate]) throws(SignInError) -> [ImportedRecord.Outcome] {
        try storage.write { writer in
            try batch.map { candidate in try candidate.outcome { try Self.store($0, writer) } }
        }
    }

    private static func store(_ new: NewAccount, _ writer: any StorageWriter) throws -> ImportedRecord.Outcome {
        let (account, now) = (new.account, new.account.createdAt)
        guard try !hasAddress(of: new, writer), try writer.insert(account) else { return .existing }
        try writer.append(AuditEvent(at: now, action: .accountImported, account: account.id))
        if new.isDisabled {
            _ = try writer.disable(account.id, at: now)
            try writer.append(AuditEvent(at: now, action: .accountDisabled, account: account.id))
        }
        guard let credential = new.credential else { return .imported(hasSecret: false) }
        guard try writer.insert(credential) else { throw ProviderFault("store an imported credential", code: 0) }
        return .imported(hasSecret: true)
    }

    private static func hasAddress(of new: NewAccount, _ reader: any StorageReader) throws(ProviderFault) -> Bool {
        guard let email = new.account.email else { return false }
        return try reader.hasAccount(email: email)
    }
}
