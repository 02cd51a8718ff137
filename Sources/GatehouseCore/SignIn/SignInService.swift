public import GatehouseKit

/// The combined sign-in request: one ceremony, several kinds of credential, exactly one completion.
///
/// Every call may block and is made on a worker lane.
public struct SignInService: Sendable {
    let storage: any Storage
    let registry: ProviderRegistry
    let policy: SessionPolicy
    let ceremonies: CeremonyService
    let issuer: SessionIssuer
    let sessions: SessionService
    let offers: OfferService
    let throttle: GuessThrottle
    let migration: MigrationEngine
    let clock: any Clock

    public init(
        storage: any Storage,
        registry: ProviderRegistry,
        policy: SessionPolicy,
        ceremonies: CeremonyService,
        sessions: SessionService,
        offers: OfferService,
        throttle: ThrottlePolicy,
        migration: MigrationEngine = MigrationEngine(),
        clock: any Clock
    ) {
        self.storage = storage
        self.registry = registry
        self.policy = policy
        issuer = SessionIssuer(policy)
        self.ceremonies = ceremonies
        self.sessions = sessions
        self.offers = offers
        self.throttle = GuessThrottle(throttle)
        self.migration = migration
        self.clock = clock
    }

    /// Begins a ceremony and asks each provider what this visitor may answer with.
    ///
    /// - Parameter session: The session that came with the request; only a step-up is bound to it.
    public func begin(_ request: SignInRequest, in session: CachedSession?) throws(SignInError) -> BegunSignIn {
        let steppingUp = try stepUpAccount(request, session)
        let now = clock.now
        let row = StoredCeremony(
            purpose: steppingUp == nil ? .signIn : .stepUp,
            kinds: try kinds(of: request),
            identifier: request.identifier.map(Identifier.claimed),
            account: steppingUp?.account.id,
            session: steppingUp?.session.id,
            challenge: CeremonyService.challenge(),
            client: request.client,
            mediation: request.mediation,
            deviceID: request.deviceID,
            returnTo: request.returnTo,
            isRemembered: request.isRemembered,
            begunAt: now,
            expiresAt: ceremonies.expiry(of: request.mediation, begunAt: now)
        )
        try storage.write { writer in try writer.insert(row) }
        let visitor = Visitor(identifier: row.identifier, steppingUp: steppingUp?.account.reference)
        return BegunSignIn(ceremony: row, requests: try offered(to: visitor, in: row), account: nil)
    }

    /// The worker threads that a credential is checked on; looks at nothing but memory.
    public func lane(for presented: PresentedCredential) -> WorkLane {
        guard let provider = registry[presented.kind] else { return .compute }
        guard let choosing = provider as? any LaneChoosingProvider else { return provider.lane }
        return Self.lane(for: presented, of: choosing)
    }

    private static func lane<P: LaneChoosingProvider>(for presented: PresentedCredential, of provider: P) -> WorkLane {
        guard let credential: P.Credential = try? presented.decode() else { return .compute }
        return provider.lane(for: credential)
    }

    private func kinds(of request: SignInRequest) throws(SignInError) -> [CredentialKind] {
        let wanted = request.stepUp?.kinds ?? []
        let handled = request.stepUp == nil ? registry.kinds : registry.signInKinds
        let asked = request.kinds ?? (wanted.isEmpty ? handled : wanted)
        let known = asked.filter(handled.contains)
        guard !known.isEmpty else { throw .refused(refusal(of: asked)) }
        return known.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Why none of the kinds is there: one is switched off, or all are unknown.
    private func refusal(of kinds: [CredentialKind]) -> Refusal {
        for kind in kinds {
            do throws(Refusal) { _ = try registry.provider(of: kind, else: .unknownKind) } catch {
                if error.code == .kindDisabled { return error }
            }
        }
        return Refusal(.unknownKind, "no provider for any of the kinds")
    }

    func offered(to visitor: Visitor, in row: StoredCeremony) throws(SignInError) -> [OfferedRequest] {
        do throws(ProviderFault) {
            var requests: [OfferedRequest] = []
            for kind in row.kinds {
                guard let provider = registry[kind] as? any OfferingProvider else { continue }
                guard let offer = try Self.offer(of: provider, to: visitor, in: row) else { continue }
                requests.append(OfferedRequest(kind: kind, offer: offer))
            }
            return requests
        } catch {
            throw .unavailable(error)
        }
    }

    private static func offer(
        of provider: some OfferingProvider,
        to visitor: Visitor,
        in row: StoredCeremony
    ) throws(ProviderFault) -> (any Encodable & Sendable)? {
        try provider.offer(to: visitor, ceremony: row.ceremony)
    }

    /// Whose step-up this is; `nil` if it is a plain sign-in.
    private func stepUpAccount(
        _ request: SignInRequest,
        _ session: CachedSession?
    ) throws(SignInError) -> CachedSession? {
        guard let wanted = request.stepUp else { return nil }
        guard let session else { throw .refused(Refusal(.sessionRequired, "a step-up needs a session")) }
        guard session.session.scope == .full else {
            throw .refused(Refusal(.stepUpRequired, "the session may only enrol a credential"))
        }
        guard request.identifier == nil else {
            throw .refused(Refusal(.malformedRequest, "a step-up takes no identifier"))
        }
        let held = try storage.look { (reader) throws(ProviderFault) in
            try reader.credentials(of: session.account.id)
        }
        let usable = held.filter { registry.isUsable($0) && (wanted.kinds.isEmpty || wanted.kinds.contains($0.kind)) }
        let now = clock.now
        let proved = session.session.evidence.filter { piece in wanted.maxAge.map { now - piece.at <= $0 } ?? true }
        let level = wanted.assurance ?? .aal1
        guard usable.contains(where: { SessionPolicy.couldReach(level, with: $0, beside: proved) }) else {
            throw .refused(Refusal(.stepUpImpossible, "the account has no credential that would do"))
        }
        return session
    }
}

/// What a client asks for when it begins to sign in.
public struct SignInRequest: Sendable {
    public let identifier: String?
    /// `nil` for every kind, in the configured order.
    public let kinds: [CredentialKind]?
    public let mediation: Mediation
    public let client: ClientKind
    public let deviceID: String?
    public let stepUp: StepUp?
    /// Checked by the caller.
    public let returnTo: String?
    /// Whether the visitor asks to stay signed in.
    public let isRemembered: Bool

    public init(
        identifier: String? = nil,
        kinds: [CredentialKind]? = nil,
        mediation: Mediation = .modal,
        client: ClientKind = .browser,
        deviceID: String? = nil,
        stepUp: StepUp? = nil,
        returnTo: String? = nil,
        isRemembered: Bool = false
    ) {
        self.identifier = identifier
        self.kinds = kinds
        self.mediation = mediation
        self.client = client
        self.deviceID = deviceID
        self.stepUp = stepUp
        self.returnTo = returnTo
        self.isRemembered = isRemembered
    }
}

/// A ceremony that waits for a credential.
public struct BegunSignIn: Sendable {
    public let ceremony: StoredCeremony
    public let requests: [OfferedRequest]
    /// Who proved a first factor in the step before.
    public let account: AccountReference?
}

/// One kind of credential that may complete a ceremony, with what its provider says beside it.
public struct OfferedRequest: Encodable, Sendable {
    public let kind: CredentialKind
    public let offer: any Encodable & Sendable

    private enum CodingKeys: String, CodingKey { case kind }

    /// The provider's members stand beside `kind`, in one object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind.description, forKey: .kind)
        try offer.encode(to: encoder)
    }
}
