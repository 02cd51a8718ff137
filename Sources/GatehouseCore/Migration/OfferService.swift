public import GatehouseKit

/// An offer that was just made, with what the client needs to take it up.
public struct MadeOffer: Sendable {
    public let id: OfferID
    public let kind: CredentialKind
    public let mode: StoredOffer.Mode
    public let registration: BegunEnrollment
}

/// Offers people a better credential, and remembers what they said.
public struct OfferService: Sendable {
    /// Where what is offered is enrolled.
    private static let collection = "passkeys"

    private let storage: any Storage
    private let enrollment: EnrollmentService
    private let policy: MigrationPolicy
    private let clock: any Clock
    private let log: Log

    public init(
        storage: any Storage,
        enrollment: EnrollmentService,
        policy: MigrationPolicy,
        clock: any Clock,
        log: Log
    ) {
        self.storage = storage
        self.enrollment = enrollment
        self.policy = policy
        self.clock = clock
        self.log = log
    }

    /// The offer that follows a sign-in, if any.
    ///
    /// The session is open by now: whatever fails here costs the visitor the offer and nothing else.
    func offer(after completion: Completion, kind: CredentialKind) -> MadeOffer? {
        guard enrollment.registry[collection: Self.collection] != nil else { return nil }
        do {
            let earlier = try storage.read { (reader) throws(ProviderFault) in
                try reader.offers(to: completion.account.id, of: .passkey)
            }
            let mode = policy.decide(signedInWith: kind, credentials: completion.credentials, earlier: earlier)
            guard let mode else { return nil }
            return try make(mode, for: completion)
        } catch {
            log(.error, "an offer could not be made", ["account": completion.account.id])
            return nil
        }
    }

    private func make(_ mode: StoredOffer.Mode, for completion: Completion) throws -> MadeOffer? {
        let now = clock.now
        let offer = StoredOffer(
            id: .random(),
            account: completion.account.id,
            session: completion.issued.session.id,
            kind: .passkey,
            mode: mode,
            madeAt: now
        )
        let session = CachedSession(session: completion.issued.session, account: completion.account)
        let registration = try enrollment.begin(
            EnrollmentRequest(
                collection: Self.collection,
                client: session.session.client,
                mediation: mode == .automatic ? .conditional : .modal
            ),
            in: session,
            isOffered: true
        )
        try storage.write { writer in
            try writer.insert(offer)
            try writer.append(
                AuditEvent(
                    at: now,
                    action: .offerMade,
                    account: offer.account,
                    session: offer.session,
                    kind: offer.kind
                )
            )
        }
        return MadeOffer(id: offer.id, kind: offer.kind, mode: mode, registration: registration)
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
