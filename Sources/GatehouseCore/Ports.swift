public import GatehouseKit

/// Everything that outlives the process.
///
/// Both calls block until the work is done, so they are made on a worker lane and never on an HTTP thread.
public protocol Storage: Sendable {
    /// Runs `body` on a consistent snapshot.
    func read<R>(_ body: (any StorageReader) throws(ProviderFault) -> R) throws(ProviderFault) -> R

    /// Runs `body` in a transaction of its own and returns once that is durable.
    ///
    /// A ``Refusal`` or ``ProviderFault`` thrown by `body` undoes everything it did, and nothing else: transactions that
    /// are committed together stay independent.
    func write<R: Sendable>(_ body: @escaping @Sendable (any StorageWriter) throws -> R) throws(SignInError) -> R
}

extension Storage {
    /// Reads for somebody who is to be answered: a fault is an outage to them.
    public func look<R>(
        _ body: (any StorageReader) throws(ProviderFault) -> R
    ) throws(SignInError) -> R {
        do throws(ProviderFault) {
            return try read(body)
        } catch { throw .unavailable(error) }
    }
}

public protocol StorageReader: AccountReader, CredentialReader, CeremonyReader, SessionReader, OfferReader, LinkReader,
    SettingReader, ThrottleReader, AuditReader, RemnantReader, AccessTokenReader, MigrationReader
{}

public protocol StorageWriter: StorageReader, AccountWriter, CredentialWriter, CeremonyWriter, SessionWriter,
    OfferWriter,
    LinkWriter, SettingWriter, ThrottleWriter, AuditWriter, RemnantWriter, AccessTokenWriter, MigrationWriter
{}

public protocol AccountReader {
    func account(_ id: AccountID) throws(ProviderFault) -> Account?
    func account(named identifier: Identifier) throws(ProviderFault) -> Account?
    func account(userHandle: [UInt8]) throws(ProviderFault) -> Account?
    /// Ordered by identifier, from the one after `last`.
    func accounts(after last: Identifier?, limit: Int) throws(ProviderFault) -> [Account]
    func hasAccounts() throws(ProviderFault) -> Bool
    /// Whether any account has this address, in whatever case.
    func hasAccount(email: String) throws(ProviderFault) -> Bool
}

public protocol AccountWriter {
    /// - Returns: `false` if the identifier is taken.
    func insert(_ account: Account) throws(ProviderFault) -> Bool
    /// - Parameter at: `nil` to enable it again.
    /// - Returns: `false` if there is no such account.
    func disable(_ account: AccountID, at time: Timestamp?) throws(ProviderFault) -> Bool
    /// Removes the account and everything that hangs on it.
    ///
    /// Keeps the remnants of its credentials.
    func delete(_ account: AccountID) throws(ProviderFault) -> Bool
}

public protocol CredentialReader {
    func credential(_ id: CredentialID) throws(ProviderFault) -> StoredCredential?
    func credential(kind: CredentialKind, key: [UInt8]) throws(ProviderFault) -> StoredCredential?
    /// Oldest first.
    func credentials(of account: AccountID) throws(ProviderFault) -> [StoredCredential]
    func hasCredentials(of kind: CredentialKind) throws(ProviderFault) -> Bool
}

public protocol CredentialWriter {
    /// - Returns: `false` if the kind already has a credential with this key.
    func insert(_ credential: StoredCredential) throws(ProviderFault) -> Bool
    /// - Returns: `false` if the credential is gone, or no longer at the version that the change was made from.
    func apply(_ change: CredentialChange, to id: CredentialID) throws(ProviderFault) -> Bool
    /// - Returns: `false` if the credential is gone.
    func markUsed(_ id: CredentialID, at time: Timestamp, userVerified: Bool) throws(ProviderFault) -> Bool
    func rename(_ id: CredentialID, to name: String) throws(ProviderFault) -> Bool
    /// Keeps its remnant, like the next.
    ///
    /// - Returns: `false` if the credential is gone.
    func delete(_ id: CredentialID) throws(ProviderFault) -> Bool
    /// - Returns: the credentials of this kind that held the slot, which are gone.
    func deleteCredentials(of kind: CredentialKind, in slot: [UInt8]) throws(ProviderFault) -> [StoredCredential]
}

public protocol CeremonyReader {
    func ceremony(_ id: CeremonyID) throws(ProviderFault) -> StoredCeremony?
}

public protocol CeremonyWriter {
    func insert(_ ceremony: StoredCeremony) throws(ProviderFault)
    /// Takes one attempt, if the ceremony is neither used nor past its time and has one left.
    ///
    /// - Returns: whether one conditional statement took it.
    func reserveAttempt(_ id: CeremonyID, limit: Int64, at now: Timestamp) throws(ProviderFault) -> Bool
    /// Uses the ceremony up.
    ///
    /// - Returns: whether one conditional statement did; `false` if anyone was first.
    func consume(_ id: CeremonyID, at now: Timestamp) throws(ProviderFault) -> Bool
}

public protocol SessionReader {
    /// Whether a session is there, was not replaced, and is within its absolute limit.
    func isActive(_ id: SessionID, at now: Timestamp) throws(ProviderFault) -> Bool
    func session(digest: TokenDigest) throws(ProviderFault) -> StoredSession?
    /// The session that a token carried before it was ended; remembered for as long as it would have lived.
    func endedSession(digest: TokenDigest) throws(ProviderFault) -> EndedSession?
    /// Those that can still be used, newest first.
    func sessions(of account: AccountID, at now: Timestamp) throws(ProviderFault) -> [StoredSession]
}

public protocol SessionWriter {
    func insert(_ issued: IssuedSession) throws(ProviderFault)
    /// Leaves the session to the access check alone, until `deadline`, and ties it to its successor.
    ///
    /// - Returns: the digest that must leave every cache; `nil` if the session is gone or was replaced before.
    func supersede(_ id: SessionID, by successor: SessionID, until deadline: Timestamp) throws(ProviderFault)
        -> TokenDigest?
    /// Removes sessions and what they superseded, and sign-ins that are half done on the same proof.
    ///
    /// - Returns: the digests that must leave every cache.
    func endSessions(_ selection: SessionSelection) throws(ProviderFault) -> [TokenDigest]
    /// Notes that the token of an ended session was used.
    ///
    /// - Returns: `false` if that was noted before.
    func markUsed(_ digest: TokenDigest, at now: Timestamp) throws(ProviderFault) -> Bool
    /// Moves the time of last use forward, never back.
    func touch(_ id: SessionID, at time: Timestamp) throws(ProviderFault)
}

/// A session that was ended before its time.
public struct EndedSession: Equatable, Sendable {
    public let session: SessionID
    public let account: AccountID
    /// Whether its token was used since.
    public let wasUsed: Bool

    public init(session: SessionID, account: AccountID, wasUsed: Bool) {
        self.session = session
        self.account = account
        self.wasUsed = wasUsed
    }
}

/// Which sessions to end.
public enum SessionSelection: Equatable, Sendable {
    case one(SessionID)
    case account(AccountID, except: SessionID?)
    case credential(CredentialID, except: SessionID?)
}

public protocol AccessTokenReader {
    func accessToken(digest: TokenDigest) throws(ProviderFault) -> StoredAccessToken?
    /// Newest first.
    func accessTokens(of account: AccountID) throws(ProviderFault) -> [StoredAccessToken]
}

public protocol AccessTokenWriter {
    func insert(_ token: StoredAccessToken, digest: TokenDigest) throws(ProviderFault)
    /// - Returns: the digests that must leave every cache.
    func deleteAccessTokens(_ selection: AccessTokenSelection) throws(ProviderFault) -> [TokenDigest]
    /// Moves the time of last use forward, never back.
    func touchAccessToken(_ id: CredentialID, at time: Timestamp) throws(ProviderFault)
}

public protocol OfferReader {
    func offer(_ id: OfferID) throws(ProviderFault) -> StoredOffer?
    /// Newest first.
    func offers(to account: AccountID, of kind: CredentialKind) throws(ProviderFault) -> [StoredOffer]
}

public protocol OfferWriter {
    func insert(_ offer: StoredOffer) throws(ProviderFault)
    /// - Returns: `false` if it was answered before.
    func answer(_ id: OfferID, with answer: StoredOffer.Answer, at time: Timestamp) throws(ProviderFault) -> Bool
}

public protocol MigrationReader {
    func stageSettings() throws(ProviderFault) -> [StageSetting]
    /// Empty for an account that nothing happened to.
    func migrationRecord(of account: AccountID) throws(ProviderFault) -> MigrationRecord
    /// Oldest first, both days included; see ``MeasuredCount/day``.
    func measuredCounts(from first: Int64, through last: Int64) throws(ProviderFault) -> [MeasuredCount]
}

public protocol MigrationWriter {
    func set(_ setting: StageSetting) throws(ProviderFault)
    func put(_ record: MigrationRecord, of account: AccountID) throws(ProviderFault)
    /// Adds one.
    func count(_ measure: MigrationMeasure, cohort: String, day: Int64) throws(ProviderFault)
}

public protocol LinkReader {
    func link(digest: TokenDigest) throws(ProviderFault) -> StoredLink?
}

public protocol LinkWriter {
    func insert(_ link: StoredLink) throws(ProviderFault)
    /// - Returns: whether one conditional statement used it up; `false` if it is used, expired or gone.
    func consumeLink(digest: TokenDigest, at now: Timestamp) throws(ProviderFault) -> Bool
    /// Withdraws the links of that purpose that weren't used.
    func withdrawLinks(for purpose: StoredLink.Purpose, of account: AccountID?) throws(ProviderFault)
}

public protocol SettingReader {
    func setting(_ name: SettingName) throws(ProviderFault) -> [UInt8]?
}

public protocol SettingWriter {
    /// - Returns: `false` if the setting has a value already, which stays.
    func insert(_ value: [UInt8], for name: SettingName) throws(ProviderFault) -> Bool
    func replace(_ value: [UInt8], for name: SettingName) throws(ProviderFault)
}

/// What the gateway remembers about itself.
public enum SettingName: String, Sendable {
    /// The key of the decoy allow lists.
    case decoyKey = "decoy_key"
    /// The relying party ID that the stored passkeys belong to.
    case relyingPartyID = "rp_id"
    /// Written by the first administrator; from then on set-up is closed.
    case setupDone = "setup_done"
}

public protocol ThrottleReader {
    func throttle(_ key: ThrottleKey) throws(ProviderFault) -> ThrottleState?
    /// Whether ``ThrottleWriter/setFamiliar(_:at:)`` was called within a month.
    func isFamiliar(_ key: ThrottleKey) throws(ProviderFault) -> Bool
}

public protocol ThrottleWriter {
    func setThrottle(_ key: ThrottleKey, to state: ThrottleState) throws(ProviderFault)
    func clearThrottle(_ key: ThrottleKey) throws(ProviderFault)
    func setFamiliar(_ key: ThrottleKey, at now: Timestamp) throws(ProviderFault)
}

public protocol AuditReader {
    /// Newest first.
    func auditEvents(of account: AccountID, limit: Int) throws(ProviderFault) -> [AuditEvent]
}

public protocol AuditWriter {
    func append(_ event: AuditEvent) throws(ProviderFault)
}

public protocol RemnantReader {
    /// The longest overdue first.
    func remnants(dueAt now: Timestamp, limit: Int) throws(ProviderFault) -> [StoredRemnant]
}

public protocol RemnantWriter {
    /// Counts an attempt.
    func postponeRemnant(of credential: CredentialID, until due: Timestamp) throws(ProviderFault)
    func deleteRemnant(of credential: CredentialID) throws(ProviderFault)
}

extension StorageWriter {
    /// Makes sure that a session which was read before is still one to act in.
    ///
    /// What is decided in memory and written later must not outlive being signed out, disabled or stepped up meanwhile.
    func requireActive(_ session: StoredSession, at now: Timestamp) throws {
        guard try isActive(session.id, at: now) else {
            throw Refusal(.sessionRequired, "the session ended while the request was under way")
        }
    }
}
