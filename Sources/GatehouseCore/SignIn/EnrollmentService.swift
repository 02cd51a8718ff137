import Crypto
import FoundationEssentials
public import GatehouseKit
import Wire

/// Adds credentials to accounts, and makes accounts where sign-up is open.
///
/// Every call may block and is made on a worker lane.
public struct EnrollmentService: Sendable {
    let storage: any Storage
    let registry: ProviderRegistry
    let policy: SessionPolicy
    let ceremonies: CeremonyService
    let issuer: SessionIssuer
    let sessions: SessionService
    let isSignupOpen: Bool
    let migration: MigrationEngine
    let clock: any Clock

    public init(
        storage: any Storage,
        registry: ProviderRegistry,
        policy: SessionPolicy,
        ceremonies: CeremonyService,
        sessions: SessionService,
        isSignupOpen: Bool,
        migration: MigrationEngine = MigrationEngine(),
        clock: any Clock
    ) {
        self.storage = storage
        self.registry = registry
        self.policy = policy
        issuer = SessionIssuer(policy)
        self.ceremonies = ceremonies
        self.sessions = sessions
        self.isSignupOpen = isSignupOpen
        self.migration = migration
        self.clock = clock
    }

    func provider(of collection: String) throws(SignInError) -> any EnrollingProvider {
        do throws(Refusal) { return try registry.provider(of: collection) } catch { throw .refused(error) }
    }

    /// Begins to enrol a credential: for the account that is signed in, or for a new one.
    ///
    /// - Parameter isOffered: Whether the gateway itself proposes it, in the sign-in that opened the session.
    public func begin(
        _ request: EnrollmentRequest,
        in session: CachedSession?,
        isOffered: Bool = false
    ) throws(SignInError) -> BegunEnrollment {
        let provider = try provider(of: request.collection)
        let subject: EnrollmentSubject
        if let session {
            subject = try existingAccount(request, session, isOffered: isOffered, provider)
        } else {
            subject = try newAccount(request, provider)
        }
        return try begin(request, for: subject, in: session, with: provider)
    }

    private func begin<P: EnrollingProvider>(
        _ request: EnrollmentRequest,
        for subject: EnrollmentSubject,
        in session: CachedSession?,
        with provider: P
    ) throws(SignInError) -> BegunEnrollment {
        let now = clock.now
        let draft = StoredCeremony(
            purpose: .registration(collection: request.collection),
            kinds: [provider.kind],
            account: subject.account.id,
            session: session?.session.id,
            challenge: CeremonyService.challenge(),
            client: request.client,
            mediation: request.mediation,
            signup: subject.signup,
            begunAt: now,
            expiresAt: ceremonies.expiry(of: request.mediation, begunAt: now)
        )
        let start = try provider.beginEnrollment(
            try Self.decode(P.Request.self, from: request.json),
            of: subject.account,
            existing: subject.existing.filter { $0.kind == provider.kind }.map(\.record),
            ceremony: draft.ceremony
        )
        do throws(Refusal) {
            try Self.checkQuota(subject.existing.filter { !start.replaces.contains($0.id) }, provider)
        } catch { throw .refused(error) }
        let row = draft.keeping(memo: start.memo)
        try storage.write { writer in try writer.insert(row) }
        return BegunEnrollment(ceremony: row.id, options: start.options, expiresAt: row.expiresAt)
    }

    private func existingAccount(
        _ request: EnrollmentRequest,
        _ session: CachedSession,
        isOffered: Bool,
        _ provider: any EnrollingProvider
    ) throws(SignInError) -> EnrollmentSubject {
        let existing = try freshCredentials(in: session)
        if request.mediation == .conditional, !isOffered { try checkOffer(request.offer, to: session) }
        guard session.session.scope == .full || provider.kind == .passkey else {
            throw .refused(Refusal(.stepUpRequired, "the session may only enrol a passkey"))
        }
        return EnrollmentSubject(account: session.account.reference, existing: existing, signup: nil)
    }

    /// The credentials of an account whose session may change them.
    func freshCredentials(in session: CachedSession) throws(SignInError) -> [StoredCredential] {
        let credentials = try storage.look { (reader) throws(ProviderFault) in
            try reader.credentials(of: session.account.id)
        }
        do throws(Refusal) { try checkFresh(session, credentials) } catch { throw .refused(error) }
        return credentials
    }

    func checkFresh(_ session: CachedSession, _ credentials: [StoredCredential]) throws(Refusal) {
        let lack = policy.lackOfFreshness(
            in: session.session,
            credentials: credentials,
            enabled: registry.signInKinds,
            now: clock.now
        )
        if let lack { throw lack }
    }

    /// Decides again, in the transaction that writes, what was decided before: much may have happened meanwhile.
    ///
    /// - Returns: the account's credentials as they are now.
    func requireFresh(_ session: CachedSession, _ writer: any StorageWriter) throws -> [StoredCredential] {
        try writer.requireActive(session.session, at: clock.now)
        let credentials = try writer.credentials(of: session.account.id)
        try checkFresh(session, credentials)
        return credentials
    }

    static func checkQuota<P: EnrollingProvider>(_ credentials: [StoredCredential], _ provider: P) throws(Refusal) {
        let active = credentials.filter { $0.kind == provider.kind && provider.canSignIn(with: $0.record) }
        guard active.count < provider.quota else {
            throw Refusal(.quotaExceeded, "the account has as many credentials of this kind as it may")
        }
    }

    /// User presence is waived only for a creation that the gateway itself proposed to this session.
    private func checkOffer(_ id: OfferID?, to session: CachedSession) throws(SignInError) {
        let offer = try storage.look { (reader) throws(ProviderFault) in
            try id.flatMap { (id) throws(ProviderFault) in try reader.offer(id) }
        }
        guard let offer, offer.session == session.session.id, offer.mode == .automatic, offer.answer == nil else {
            throw .refused(Refusal(.forbidden, "conditional creation answers an automatic offer to the same session"))
        }
    }

    private func newAccount(
        _ request: EnrollmentRequest,
        _ provider: any EnrollingProvider
    ) throws(SignInError) -> EnrollmentSubject {
        guard provider.collection.allowsSignup else {
            throw .refused(Refusal(.sessionRequired, "enrolling needs a session"))
        }
        guard isSignupOpen else { throw .refused(Refusal(.signupClosed, "sign-up is closed")) }
        guard request.mediation != .conditional else {
            throw .refused(Refusal(.forbidden, "conditional creation answers an automatic offer to the same session"))
        }
        let profile: AccountProfile
        do throws(Refusal) {
            profile = try AccountProfile(
                username: request.username ?? Self.generatedName(),
                displayName: request.displayName
            )
        } catch { throw .refused(error) }
        let isTaken = try storage.look { (reader) throws(ProviderFault) in
            try reader.account(named: profile.identifier) != nil
        }
        guard !isTaken else { throw .refused(Refusal(.usernameTaken, "the user name is taken")) }
        return EnrollmentSubject(profile)
    }

    private static func generatedName() -> String {
        "user-" + Base64URL(bytes: Random.bytes(9)).text.lowercased()
    }

    static func decode<T: Decodable>(_ type: T.Type, from json: Data) throws(SignInError) -> T {
        do {
            return try JSONDecoder().decode(type, from: json)
        } catch {
            throw .refused(Refusal(.malformedRequest, "a member of the body is missing or of the wrong type"))
        }
    }
}
