import Foundation
import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Storage
import Synchronization

/// The core over a real database, with two kinds of credential that exist only here.
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

    init(isSignupOpen: Bool = true, throttle: ThrottlePolicy = ThrottlePolicy(freeFailures: 1_000)) throws {
        storage = try SQLiteStorage(path: folder.database, role: .command, clock: clock)
        policy = SessionPolicy()
        registry = try ProviderRegistry([
            WordProvider(vault: StorageVault(storage: storage, kind: WordProvider.kind)),
            BadgeProvider(vault: StorageVault(storage: storage, kind: BadgeProvider.kind)),
        ])
        sessions = SessionService(storage: storage, policy: policy, clock: clock)
        let ceremonies = CeremonyService()
        enrollment = EnrollmentService(
            storage: storage,
            registry: registry,
            policy: policy,
            ceremonies: ceremonies,
            sessions: sessions,
            isSignupOpen: isSignupOpen,
            clock: clock
        )
        offers = OfferService(
            storage: storage,
            enrollment: enrollment,
            policy: MigrationPolicy(),
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
        links = LinkService(storage: storage, policy: policy, clock: clock)
        accounts = AccountService(storage: storage, clock: clock)
    }

    deinit { storage.stop() }

    /// An account whose word is its name twice.
    @discardableResult
    func add(_ name: String) throws -> Account {
        try accounts.create(AccountProfile(username: name), kind: WordProvider.kind) { (account) throws(SignInError) in
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
        kind: CredentialKind = WordProvider.kind,
        from origin: RequestOrigin = .test,
        in session: CachedSession? = nil
    ) throws -> SignInResult {
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

    func held(by account: Account) throws -> [StoredCredential] {
        try storage.read { (reader) throws(ProviderFault) in try reader.credentials(of: account.id) }
    }

    func events(of account: Account) throws -> [AuditEvent.Action] {
        try storage.read { (reader) throws(ProviderFault) in try reader.auditEvents(of: account.id, limit: 100) }
            .map(\.action)
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

/// Sign-in with a word, which is stored as it is: a password without the work.
struct WordProvider: OfferingProvider, SecretSettingProvider {
    static let kind = CredentialKind("password")
    let vault: any CredentialVault

    struct Credential: Decodable, Sendable {
        let identifier: String
        let word: String
    }

    struct Offer: Encodable, Sendable {}

    func claimedIdentifier(_ credential: Credential) -> Identifier? { .claimed(credential.identifier) }

    func offer(to visitor: Visitor, ceremony: borrowing Ceremony) throws(ProviderFault) -> Offer? { Offer() }

    func verify(_ credential: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence {
        let record: CredentialRecord?
        do throws(ProviderFault) {
            guard let account = try vault.account(named: .claimed(credential.identifier)) else {
                throw ProviderFault("none", code: 404)
            }
            record = try vault.record(key: Array(account.id.text.utf8))
        } catch {
            guard error.code == 404 else { throw .unavailable(error) }
            throw .refused(Refusal(.credentialRejected, "unknown"))
        }
        guard let record, record.payload == Array(credential.word.utf8) else {
            throw .refused(Refusal(.credentialRejected, "wrong"))
        }
        return Evidence(account: record.account, credential: record.id, proof: Proof(factors: .knowledge))
    }

    func check(_ secret: Secret, of account: AccountReference) throws(SignInError) {
        let record: CredentialRecord?
        do throws(ProviderFault) { record = try vault.record(key: Array(account.id.text.utf8)) } catch {
            throw .unavailable(error)
        }
        guard let record, record.payload == Array((secret.text ?? "").utf8) else {
            throw .refused(Refusal(.credentialRejected, "wrong"))
        }
    }

    func credential(settingTo secret: Secret, of account: AccountReference) throws(SignInError) -> NewCredential {
        Self.credential(secret.text ?? "", of: account)
    }

    static func credential(_ word: String, of account: AccountReference) -> NewCredential {
        let key = Array(account.id.text.utf8)
        return NewCredential(
            key: key,
            payload: Array(word.utf8),
            name: nil,
            proof: Proof(factors: .knowledge),
            slot: key
        )
    }
}

/// Sign-in with a numbered badge: a second factor with a counter.
struct BadgeProvider: EnrollingProvider {
    static let kind = CredentialKind("passkey")
    static let collection = CredentialCollection(
        path: "badges",
        listName: "badges",
        memberName: "badge",
        removalNeedsFreshSession: true,
        allowsSignup: true
    )
    let vault: any CredentialVault

    struct Credential: Decodable, Sendable { let word: String }
    struct Request: Decodable, Sendable {}
    struct Options: Encodable, Sendable { let hello: String }
    struct Registration: Decodable, Sendable { let number: String }
    struct Summary: Encodable, Sendable { let id: String }

    static let proof = Proof(factors: [.possession, .inherence], phishingResistant: true, userVerified: true)

    func verify(_ credential: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence {
        let record: CredentialRecord?
        do throws(ProviderFault) { record = try vault.record(key: Array(credential.word.utf8)) } catch {
            throw .unavailable(error)
        }
        guard let record else { throw .refused(Refusal(.credentialUnknown, "no such badge")) }
        return Evidence(
            account: record.account,
            credential: record.id,
            proof: Self.proof,
            change: CredentialChange(payload: record.payload + [1], version: record.version, isEssential: true)
        )
    }

    func beginEnrollment(
        _ request: Request,
        of account: AccountReference,
        existing: [CredentialRecord],
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> EnrollmentStart<Options> {
        EnrollmentStart(options: Options(hello: account.username), memo: [42])
    }

    func finishEnrollment(
        _ registration: Registration,
        of account: AccountReference,
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> NewCredential {
        guard ceremony.memo == [42], registration.number != "bad" else {
            throw .refused(Refusal(.signatureInvalid, "a bad badge"))
        }
        return NewCredential(key: Array(registration.number.utf8), payload: [], name: nil, proof: Self.proof)
    }

    func summary(of record: CredentialRecord, isCurrent: Bool) throws(ProviderFault) -> Summary {
        Summary(id: record.id.text)
    }
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
