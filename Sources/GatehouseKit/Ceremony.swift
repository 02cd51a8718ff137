/// 32 random bytes that a credential must be bound to.
public struct Challenge: Equatable, Sendable {
    public static let byteCount = 32

    public let bytes: [UInt8]

    /// - Precondition: exactly 32 bytes.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "a challenge is 32 bytes")
        self.bytes = bytes
    }
}

/// One attempt to sign in or to enrol, from the options we sent to the response that answers them.
///
/// Not copyable, so that it can't be kept beyond the verification it was loaded for. That it is used only once is decided
/// by the database, in the transaction that writes the result.
public struct Ceremony: ~Copyable, Sendable {
    public let id: CeremonyID
    public let challenge: Challenge
    /// The account name it was begun for, prepared for comparison; `nil` for a discoverable sign-in.
    public let identifier: Identifier?
    /// The account it is bound to: at registration and step-up.
    public let account: AccountID?
    public let client: ClientKind
    public let mediation: Mediation
    /// The trusted device that wants to sign in.
    public let deviceID: String?
    public let begunAt: Timestamp
    public let expiresAt: Timestamp
    /// What the provider asked to be kept from the options call to the verify call of an enrolment.
    public let memo: [UInt8]

    public init(
        id: CeremonyID,
        challenge: Challenge,
        identifier: Identifier? = nil,
        account: AccountID? = nil,
        client: ClientKind = .browser,
        mediation: Mediation = .modal,
        deviceID: String? = nil,
        begunAt: Timestamp,
        expiresAt: Timestamp,
        memo: [UInt8] = []
    ) {
        self.id = id
        self.challenge = challenge
        self.identifier = identifier
        self.account = account
        self.client = client
        self.mediation = mediation
        self.deviceID = deviceID
        self.begunAt = begunAt
        self.expiresAt = expiresAt
        self.memo = memo
    }
}

/// What runs the ceremony on the other side.
public enum ClientKind: String, Codable, Sendable {
    /// Gets its session as a cookie.
    case browser
    /// An app: gets its session as a bearer token.
    case native
}

/// How the client asks its user (Credential Management Level 1 §2.3.2, and WebAuthn Level 3 §5.1.4).
public enum Mediation: String, Codable, Sendable {
    case modal
    /// Passkeys appear in the autofill of a form, and may be picked minutes later.
    case autofill
    /// Only what is on this device, and at once or not at all.
    case immediate
    /// A passkey is made without asking, after a password sign-in.
    case conditional
}

/// Who wants to sign in, as far as is known before any credential.
public struct Visitor: Sendable {
    /// The account name typed so far, prepared.
    public let identifier: Identifier?
    /// The account that is signed in and must prove itself again.
    public let steppingUp: AccountReference?

    public init(identifier: Identifier? = nil, steppingUp: AccountReference? = nil) {
        self.identifier = identifier
        self.steppingUp = steppingUp
    }
}
