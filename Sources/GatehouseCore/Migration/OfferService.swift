public import GatehouseKit

/// An offer that was just made, with what the client needs to take it up.
public struct MadeOffer: Sendable {
    public let id: OfferID
    public let kind: CredentialKind
    public let mode: StoredOffer.Mode
    /// `nil` where the client has to begin it itself, because it takes a key.
    public let registration: BegunEnrollment?
}

/// Offers people a better credential, and remembers what they said.
public struct OfferService: Sendable {
    /// Where passkeys are enrolled.
    private static let passkeys = "passkeys"

    private let storage: any Storage
    private let enrollment: EnrollmentService
    private let policy: MigrationPolicy
    private let devices: DeviceOffers
    private let clock: any Clock
    private let log: Log

    public init(
        storage: any Storage,
        enrollment: EnrollmentService,
        policy: MigrationPolicy,
        devices: DeviceOffers = DeviceOffers(),
        clock: any Clock,
        log: Log
    ) {
        self.storage = storage
        self.enrollment = enrollment
        self.policy = policy
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
        guard enrollment.registry[collection: Self.passkeys] != nil else { return nil }
        let earlier = try earlier(.passkey, occasion)
        let mode = policy.decide(signedInWith: occasion.kind, credentials: occasion.credentials, earlier: earlier)
        guard let mode else { return nil }
        let registration = try enrollment.begin(
            EnrollmentRequest(
                collection: Self.passkeys,
                client: occasion.session.client,
                mediation: mode == .automatic ? .conditional : .modal
            ),
            in: CachedSession(session: occasion.session, account: occasion.account),
            isOffered: true
        )
        return try keep(StoredOffer(.passkey, mode, on: occasion, at: clock.now), registration)
    }

    private func deviceOffer(on occasion: OfferOccasion) throws -> MadeOffer? {
        guard let provider = enrollment.registry.installationBound else { return nil }
        return try deviceOffer(on: occasion, provider)
    }

    private func deviceOffer<P: InstallationBoundProvider>(on occasion: OfferOccasion, _ provider: P) throws
        -> MadeOffer?
    {
        guard try devices.decide(occasion, provider, earlier: try earlier(provider.kind, occasion)) else { return nil }
        return try keep(StoredOffer(provider.kind, .prompt, on: occasion, at: clock.now), nil)
    }

    private func earlier(_ kind: CredentialKind, _ occasion: OfferOccasion) throws(ProviderFault) -> [StoredOffer] {
        try storage.read { (reader) throws(ProviderFault) in try reader.offers(to: occasion.account.id, of: kind) }
    }

    private func keep(_ offer: StoredOffer, _ registration: BegunEnrollment?) throws -> MadeOffer {
        try storage.write { writer in
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
        return MadeOffer(id: offer.id, kind: offer.kind, mode: offer.mode, registration: registration)
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
        try storage.write { writer in
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
