public import GatehouseKit

/// An offer that was just made, with what the client needs to take it up.
public struct MadeOffer: Sendable {
    public let id: OfferID
    public let kind: CredentialKind
    public let mode: StoredOffer.Mode
    /// From when on a password alone won't do.
    public let deadline: Timestamp?
    /// `nil` where the client has to begin it itself, because it takes a key.
    public let registration: BegunEnrollment?
}

/// Offers people a better credential, and remembers what they said.
public struct OfferService: Sendable {
    /// Where passkeys are enrolled.
    private static let passkeys = "passkeys"

    private let storage: any Storage
    private let enrollment: EnrollmentService
    private let migration: MigrationEngine
    private let devices: DeviceOffers
    private let clock: any Clock
    private let log: Log

    public init(
        storage: any Storage,
        enrollment: EnrollmentService,
        migration: MigrationEngine = MigrationEngine(),
        devices: DeviceOffers = DeviceOffers(),
        clock: any Clock,
        log: Log
    ) {
        self.storage = storage
        self.enrollment = enrollment
        self.migration = migration
        self.devices = devices
        self.clock = clock
        self.log = log
    }

    /// The offer that follows a sign-in or a sign-up, if any: a passkey where the account has none, else the device.
    ///
    /// The session is open by now: whatever fails here costs the visitor the offer and nothing else.
    public func offer(on occasion: OfferOccasion) -> MadeOffer? {
        // A session that may only enrol needs no question.
        guard occasion.session.scope == .full else { return nil }
        do {
            return try passkeyOffer(on: occasion) ?? deviceOffer(on: occasion)
        } catch {
            log(.error, "an offer could not be made", ["account": occasion.account.id])
            return nil
        }
    }

    private func passkeyOffer(on occasion: OfferOccasion) throws -> MadeOffer? {
        let registry = enrollment.registry
        guard !occasion.isSignup, registry[collection: Self.passkeys] != nil else { return nil }
        let facts = try storage.read { (reader) throws(ProviderFault) in
            try migration.facts(of: occasion.account, registry, reader)
        }
        let decision = migration.policy.offer(facts, after: occasion.migration, now: clock.now)
        guard let decision else { return nil }
        let registration = try enrollment.begin(
            EnrollmentRequest(
                collection: Self.passkeys,
                client: occasion.session.client,
                mediation: decision.mode == .automatic ? .conditional : .modal
            ),
            in: CachedSession(session: occasion.session, account: occasion.account),
            isOffered: true
        )
        return try keep(decision, on: occasion, registration)
    }

    /// Makes the offer, unless another sign-in made it meanwhile.
    private func keep(
        _ decision: OfferDecision,
        on occasion: OfferOccasion,
        _ registration: BegunEnrollment
    ) throws -> MadeOffer? {
        let offer = StoredOffer(.passkey, decision.mode, on: occasion, at: clock.now)
        let isMade = try storage.write { [migration, registry = enrollment.registry] writer in
            let facts = try migration.facts(of: occasion.account, registry, writer)
            guard migration.policy.offer(facts, after: occasion.migration, now: offer.madeAt) == decision else {
                return false
            }
            try Self.insert(offer, writer)
            try migration.noteOffer(to: occasion.account, at: offer.madeAt, writer)
            return true
        }
        return isMade ? MadeOffer(offer, deadline: decision.deadline, registration) : nil
    }

    private func deviceOffer(on occasion: OfferOccasion) throws -> MadeOffer? {
        guard let provider = enrollment.registry.installationBound else { return nil }
        return try deviceOffer(on: occasion, provider)
    }

    private func deviceOffer<P: InstallationBoundProvider>(on occasion: OfferOccasion, _ provider: P) throws
        -> MadeOffer?
    {
        guard try devices.decide(occasion, provider, earlier: try earlier(provider.kind, occasion)) else { return nil }
        let offer = StoredOffer(provider.kind, .prompt, on: occasion, at: clock.now)
        try storage.write { writer in try Self.insert(offer, writer) }
        return MadeOffer(offer, deadline: nil, nil)
    }

    private func earlier(_ kind: CredentialKind, _ occasion: OfferOccasion) throws(ProviderFault) -> [StoredOffer] {
        try storage.read { (reader) throws(ProviderFault) in try reader.offers(to: occasion.account.id, of: kind) }
    }

    private static func insert(_ offer: StoredOffer, _ writer: any StorageWriter) throws {
        try writer.insert(offer)
        try writer.append(
            AuditEvent(
                at: offer.madeAt,
                action: .offerMade,
                account: offer.account,
                session: offer.session,
                kind: offer.kind
            )
        )
    }

    /// Keeps an answer; the first one counts, and a repeated one changes nothing.
    ///
    /// - Throws: ``Refusal`` with `not_found` if no such offer was made to the account.
    public func answer(
        _ id: OfferID,
        with answer: StoredOffer.Answer,
        by account: AccountID
    ) throws(SignInError) {
        let now = clock.now
        try storage.write { [migration] writer in
            guard let offer = try writer.offer(id), offer.account == account else {
                throw Refusal(.notFound, "no such offer")
            }
            guard try writer.answer(id, with: answer, at: now) else { return }
            try writer.append(
                AuditEvent(
                    at: now,
                    action: .offerAnswered,
                    account: account,
                    kind: offer.kind,
                    code: answer.rawValue
                )
            )
            guard offer.kind == .passkey, let owner = try writer.account(account) else { return }
            try migration.count(.answered(answer), for: owner, at: now, writer)
        }
    }
}

extension StoredOffer {
    fileprivate init(_ kind: CredentialKind, _ mode: Mode, on occasion: OfferOccasion, at now: Timestamp) {
        self.init(
            id: .random(),
            account: occasion.account.id,
            session: occasion.session.id,
            kind: kind,
            mode: mode,
            installation: occasion.installation?.digest,
            madeAt: now
        )
    }
}

extension MadeOffer {
    fileprivate init(_ offer: StoredOffer, deadline: Timestamp?, _ registration: BegunEnrollment?) {
        self.init(id: offer.id, kind: offer.kind, mode: offer.mode, deadline: deadline, registration: registration)
    }
}
