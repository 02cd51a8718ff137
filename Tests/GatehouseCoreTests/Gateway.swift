import Foundation
import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Storage

/// The core over a real database, with three kinds of credential that exist only here.
///
/// That they need no change to anything but this list is what makes providers plug-ins.
final class Gateway: Sendable {
    let folder = TemporaryFolder()
    let clock = ManualClock()
    let storage: SQLiteStorage
    let registry: ProviderRegistry
    let policy: SessionPolicy
    let sessions: SessionService
    let enrollment: EnrollmentService
    let signIn: SignInService
    let credentials: CredentialService
    let links: LinkService
    let accounts: AccountService
    let offers: OfferService
    let badges: BadgeProvider
    let words: WordProvider

    init(
        isSignupOpen: Bool = true,
        policy: SessionPolicy = SessionPolicy(),
        throttle: ThrottlePolicy = ThrottlePolicy(freeFailures: 1_000),
        migration policyOfMigration: MigrationPolicy = MigrationPolicy(),
        adding others: [any CredentialProvider] = []
    ) throws {
        storage = try SQLiteStorage(path: folder.database, role: .command, clock: clock)
        self.policy = policy
        words = WordProvider(vault: StorageVault(storage: storage, kind: .password))
        badges = BadgeProvider(vault: StorageVault(storage: storage, kind: .passkey))
        registry = try ProviderRegistry(
            [
                words, badges,
                SlipProvider(vault: StorageVault(storage: storage, kind: .slip)),
            ] + others
        )
        sessions = SessionService(storage: storage, policy: policy, clock: clock)
        let ceremonies = CeremonyService()
        let migration = MigrationEngine(policyOfMigration)
        enrollment = EnrollmentService(
            storage: storage,
            registry: registry,
            policy: policy,
            ceremonies: ceremonies,
            sessions: sessions,
            isSignupOpen: isSignupOpen,
            migration: migration,
            clock: clock
        )
        offers = OfferService(
            storage: storage,
            enrollment: enrollment,
            migration: migration,
            clock: clock,
            log: Log { _ in }
        )
        signIn = SignInService(
            storage: storage,
            registry: registry,
            policy: policy,
            ceremonies: ceremonies,
            sessions: sessions,
            offers: offers,
            throttle: throttle,
            migration: migration,
            clock: clock
        )
        credentials = CredentialService(
            storage: storage,
            registry: registry,
            enrollment: enrollment,
            sessions: sessions,
            throttle: throttle,
            clock: clock
        )
        links = LinkService(
            storage: storage,
            policy: policy,
            sessions: sessions,
            migration: migration,
            clock: clock
        )
        accounts = AccountService(storage: storage, clock: clock)
    }

    deinit { storage.stop() }

    /// An account whose word is its name twice.
    @discardableResult
    func add(_ name: String, groups: [String] = []) throws -> Account {
        try accounts.create(AccountProfile(username: name, groups: groups), kind: .password) {
            (account) throws(SignInError) in
            WordProvider.credential("\(name)\(name)", of: account)
        }
    }

    func begin(
        _ identifier: String? = nil,
        kinds: [CredentialKind]? = nil,
        client: ClientKind = .browser,
        stepUp: StepUp? = nil,
        in session: CachedSession? = nil
    ) throws -> CeremonyID {
        try signIn.begin(
            SignInRequest(identifier: identifier, kinds: kinds, client: client, stepUp: stepUp),
            in: session
        ).ceremony.id
    }

    func complete(
        _ ceremony: CeremonyID,
        _ name: String,
        _ word: String? = nil,
        kind: CredentialKind = .password,
        from origin: RequestOrigin = .test,
        in session: CachedSession? = nil
    ) throws -> SignInResult {
        switch try answer(ceremony, name, word, kind: kind, from: origin, in: session) {
        case .signedIn(let result): return result
        case .needsSecondFactor: throw Refusal(.stepUpRequired, "a second factor is asked for")
        }
    }

    func answer(
        _ ceremony: CeremonyID,
        _ name: String,
        _ word: String? = nil,
        kind: CredentialKind = .password,
        from origin: RequestOrigin = .test,
        in session: CachedSession? = nil
    ) throws -> SignInOutcome {
        let json = #"{"credential":{"identifier":"\#(name)","word":"\#(word ?? name + name)"}}"#
        return try signIn.complete(
            PresentedCredential(ceremony: ceremony, kind: kind, json: Data(json.utf8), placement: .nested),
            from: origin,
            in: session
        )
    }

    /// Signs in and returns the session as a request would find it.
    func session(of name: String) throws -> CachedSession {
        let result = try complete(try begin(), name)
        return CachedSession(session: result.issued.session, account: result.account)
    }

    /// Enrols a badge; its number is its proof.
    @discardableResult
    func enrollBadge(_ number: String, in session: CachedSession) throws -> EnrollmentResult {
        let begun = try enrollment.begin(EnrollmentRequest(collection: "badges"), in: session)
        return try finishBadge(begun.ceremony, number, in: session)
    }

    func finishBadge(
        _ ceremony: CeremonyID,
        _ number: String,
        in session: CachedSession? = nil
    ) throws -> EnrollmentResult {
        try enrollment.finish(
            ceremony,
            collection: "badges",
            json: Data(#"{"response":{"number":"\#(number)"}}"#.utf8),
            from: .test,
            in: session
        )
    }

    func tokens(_ access: AccessCheck, _ limits: AccessTokenService.Limits = .init()) -> AccessTokenService {
        AccessTokenService(
            storage: storage,
            enrollment: enrollment,
            sessions: sessions,
            access: access,
            limits: limits,
            clock: clock
        )
    }

    func held(by account: Account) throws -> [StoredCredential] {
        try storage.read { (reader) throws(ProviderFault) in try reader.credentials(of: account.id) }
    }

    func events(of account: Account) throws -> [AuditEvent.Action] { try audit(of: account).map(\.action) }

    func audit(of account: Account) throws -> [AuditEvent] {
        try storage.read { (reader) throws(ProviderFault) in try reader.auditEvents(of: account.id, limit: 100) }
    }
}

extension RequestOrigin {
    static let test = RequestOrigin(
        userAgent: "test",
        address: "192.0.2.1",
        client: .browser,
        isBrowser: true,
        throttleKey: "192.0.2.1",
        requestID: "request"
    )
    static let app = RequestOrigin(
        userAgent: "app",
        address: "192.0.2.1",
        client: .browser,
        isBrowser: false,
        throttleKey: "192.0.2.1",
        requestID: "request"
    )
}

/// The code of the refusal that `body` throws.
func refusal(_ body: () throws -> Void) -> ProblemCode? {
    do {
        try body()
        return nil
    } catch let error as SignInError {
        guard case .refused(let refusal) = error else { return nil }
        return refusal.code
    } catch { return nil }
}
