import GatehouseCore
import GatehouseKit

/// `account` in answers.
struct AccountAnswer: Encodable {
    let id: String
    let username: String
    let displayName: String
    let email: String?
    let groups: [String]

    init(_ account: Account) {
        id = account.id.text
        username = account.username
        displayName = account.displayName
        email = account.email
        groups = account.groups
    }
}

/// `session` in answers.
struct SessionAnswer: Encodable {
    let id: String
    let assurance: String
    let methods: [String]
    let authenticatedAt: Timestamp
    let expiresAt: Timestamp
    let idleExpiresAt: Timestamp
    /// Whether it may only enrol a credential, and which.
    let restricted: Bool
    let scope: String
    /// For native clients, which get no cookie.
    let token: String?

    init(_ session: StoredSession, lastSeen: Timestamp, token: String? = nil) {
        id = session.id.text
        assurance = session.assurance.rawValue
        methods = session.methods.map(\.description)
        authenticatedAt = session.authenticatedAt
        expiresAt = session.expiresAt
        idleExpiresAt = min(session.expiresAt, lastSeen + session.idleLimit)
        restricted = session.scope != .full
        scope = session.scope.rawValue
        self.token = token
    }

    init(_ issued: IssuedSession) {
        self.init(
            issued.session,
            lastSeen: issued.session.lastSeenAt,
            token: issued.session.client == .native ? issued.token.text : nil
        )
    }
}

extension SessionCookie {
    /// The cookie of a session that was just opened; none for a native client.
    func headers(for issued: IssuedSession) -> [(String, String)] {
        guard issued.session.client == .browser else { return [] }
        let lifetime = issued.session.expiresAt - issued.session.authenticatedAt
        let ends = endsWithBrowser && !issued.session.isRemembered
        return [setting(issued.token.text, for: ends ? nil : lifetime)]
    }
}

/// The answer to a completed sign-in.
struct SignInAnswer: Encodable {
    let status: String
    let account: AccountAnswer
    let session: SessionAnswer
    let offer: OfferAnswer?
    let signals: Erased?
    let returnTo: String?

    init(_ result: SignInResult) {
        let isComplete = result.issued.session.scope == .full
        status = isComplete ? "complete" : "needs_enrollment"
        account = AccountAnswer(result.account)
        session = SessionAnswer(result.issued)
        offer = result.offer.map(OfferAnswer.init)
        signals = isComplete ? result.signals.map(Erased.init) : nil
        returnTo = result.returnTo
    }
}

/// The answer to a credential that was right and isn't enough.
struct SecondFactorAnswer: Encodable {
    let status = "needs_second_factor"
    let account: Name?
    let ceremonyId: String
    let expiresAt: Timestamp
    let requests: [OfferedRequest]

    /// Whose sign-in it is: what whoever proved the first factor may know.
    struct Name: Encodable {
        let id: String
        let username: String
        let displayName: String
    }

    init(_ begun: BegunSignIn) {
        account = begun.account.map { Name(id: $0.id.text, username: $0.username, displayName: $0.displayName) }
        ceremonyId = begun.ceremony.id.text
        expiresAt = begun.ceremony.expiresAt
        requests = begun.requests
    }
}

/// `offer` in the answer to a sign-in.
struct OfferAnswer: Encodable {
    let offer: MadeOffer

    private enum CodingKeys: String, CodingKey { case id, kind, mode, deadline, dismissible, registration }

    init(_ offer: MadeOffer) { self.offer = offer }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(offer.id.text, forKey: .id)
        try values.encode(offer.kind.description, forKey: .kind)
        try values.encode(offer.mode, forKey: .mode)
        try values.encode(offer.deadline, forKey: .deadline)
        try values.encode(true, forKey: .dismissible)
        try values.encodeIfPresent(offer.registration.map(RegistrationOptionsAnswer.init), forKey: .registration)
    }
}

/// The answer to the first call of an enrolment.
struct RegistrationOptionsAnswer: Encodable {
    let ceremonyId: String
    let options: Erased
    let expiresAt: Timestamp

    init(_ begun: BegunEnrollment) {
        ceremonyId = begun.ceremony.text
        options = Erased(value: begun.options)
        expiresAt = begun.expiresAt
    }
}
