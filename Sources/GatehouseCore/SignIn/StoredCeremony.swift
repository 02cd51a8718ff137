public import GatehouseKit

/// A ceremony at rest: one row, used once.
public struct StoredCeremony: Equatable, Sendable {
    public let id: CeremonyID
    public let purpose: Purpose
    /// The kinds that may complete it, in the order they were asked for.
    public let kinds: [CredentialKind]
    public let identifier: Identifier?
    public let account: AccountID?
    public let session: SessionID?
    public let challenge: Challenge
    public let client: ClientKind
    public let mediation: Mediation
    public let deviceID: String?
    public let returnTo: String?
    /// What the steps before it proved, of a second factor's.
    public let evidence: [SessionEvidence]
    /// Whether its owner asks to stay signed in.
    public let isRemembered: Bool
    /// The account that a registration without a session will make.
    public let signup: SignupDraft?
    public let memo: [UInt8]
    public let begunAt: Timestamp
    public let expiresAt: Timestamp
    public let attempts: Int64
    public let isConsumed: Bool

    public init(
        id: CeremonyID = .random(),
        purpose: Purpose,
        kinds: [CredentialKind],
        identifier: Identifier? = nil,
        account: AccountID? = nil,
        session: SessionID? = nil,
        challenge: Challenge,
        client: ClientKind = .browser,
        mediation: Mediation = .modal,
        deviceID: String? = nil,
        returnTo: String? = nil,
        evidence: [SessionEvidence] = [],
        isRemembered: Bool = false,
        signup: SignupDraft? = nil,
        memo: [UInt8] = [],
        begunAt: Timestamp,
        expiresAt: Timestamp,
        attempts: Int64 = 0,
        isConsumed: Bool = false
    ) {
        self.id = id
        self.purpose = purpose
        self.kinds = kinds
        self.identifier = identifier
        self.account = account
        self.session = session
        self.challenge = challenge
        self.client = client
        self.mediation = mediation
        self.deviceID = deviceID
        self.returnTo = returnTo
        self.evidence = evidence
        self.isRemembered = isRemembered
        self.signup = signup
        self.memo = memo
        self.begunAt = begunAt
        self.expiresAt = expiresAt
        self.attempts = attempts
        self.isConsumed = isConsumed
    }

    public enum Purpose: Equatable, Sendable {
        case signIn
        /// The next step of a sign-in, bound to the account that the step before proved.
        case secondFactor
        case stepUp
        /// Of a credential in the collection of this path.
        case registration(collection: String)
    }

    /// What a provider gets to see of it.
    public var ceremony: Ceremony {
        Ceremony(
            id: id,
            challenge: challenge,
            identifier: identifier,
            account: account,
            client: client,
            mediation: mediation,
            deviceID: deviceID,
            begunAt: begunAt,
            expiresAt: expiresAt,
            memo: memo
        )
    }

    /// A page can't finish what an app began: it would be handed a token to keep.
    func check(client origin: RequestOrigin) throws(Refusal) {
        if client == .native { try origin.checkIsApp() }
    }

    /// The same, with what is added to it after it was made: by a provider, or from a table of its own.
    public func keeping(memo: [UInt8]? = nil, evidence: [SessionEvidence]? = nil) -> StoredCeremony {
        StoredCeremony(
            id: id,
            purpose: purpose,
            kinds: kinds,
            identifier: identifier,
            account: account,
            session: session,
            challenge: challenge,
            client: client,
            mediation: mediation,
            deviceID: deviceID,
            returnTo: returnTo,
            evidence: evidence ?? self.evidence,
            isRemembered: isRemembered,
            signup: signup,
            memo: memo ?? self.memo,
            begunAt: begunAt,
            expiresAt: expiresAt,
            attempts: attempts,
            isConsumed: isConsumed
        )
    }
}

/// The names of an account that doesn't exist yet.
public struct SignupDraft: Equatable, Sendable, Codable {
    public let username: String
    public let displayName: String
    public let userHandle: [UInt8]

    public init(username: String, displayName: String, userHandle: [UInt8]) {
        self.username = username
        self.displayName = displayName
        self.userHandle = userHandle
    }
}
