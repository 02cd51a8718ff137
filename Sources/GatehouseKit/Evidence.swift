/// How much a session may be trusted (NIST SP 800-63B-4 §2), weakest first.
public enum Assurance: String, Comparable, Sendable, CaseIterable, Codable {
    /// One factor.
    case aal1
    /// Two factors, or a user-verified passkey.
    case aal2
    /// A user-verified, device-bound and attested key.
    case aal3

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What a credential proved by being used, whoever it belongs to.
public struct Proof: Hashable, Sendable {
    public let factors: Factors
    /// Bound to the origin or the app, so that a look-alike can't pass it on.
    public let phishingResistant: Bool
    /// The authenticator checked who is using it: a fingerprint, a face, a PIN.
    public let userVerified: Bool
    /// The key can't leave the device it was made on.
    public let deviceBound: Bool
    /// A chain to a trusted root says what holds the key.
    public let attested: Bool

    public init(
        factors: Factors,
        phishingResistant: Bool = false,
        userVerified: Bool = false,
        deviceBound: Bool = false,
        attested: Bool = false
    ) {
        self.factors = factors
        self.phishingResistant = phishingResistant
        self.userVerified = userVerified
        self.deviceBound = deviceBound
        self.attested = attested
    }

    /// The factors of NIST SP 800-63B-4 §1: something you know, have, are.
    public struct Factors: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let knowledge = Factors(rawValue: 1)
        public static let possession = Factors(rawValue: 2)
        public static let inherence = Factors(rawValue: 4)
    }
}

/// What a provider established: this account, by this credential.
///
/// Not a permission: `SessionPolicy` turns it into one.
public struct Evidence: Equatable, Sendable {
    public let account: AccountID
    public let credential: CredentialID
    public let proof: Proof
    /// What must be committed together with the sign-in.
    public let change: CredentialChange?
    /// What was wrong and is taken all the same; each becomes an audit event.
    public let anomalies: [CredentialAnomaly]
    /// Whether it is on another device than the one that asked, which then has none of its own: a phone beside a computer.
    public let isFromOtherDevice: Bool

    public init(
        account: AccountID,
        credential: CredentialID,
        proof: Proof,
        change: CredentialChange? = nil,
        anomalies: [CredentialAnomaly] = [],
        isFromOtherDevice: Bool = false
    ) {
        self.account = account
        self.credential = credential
        self.proof = proof
        self.change = change
        self.anomalies = anomalies
        self.isFromOtherDevice = isFromOtherDevice
    }
}

/// A new payload for a stored credential: a counter that rose, a hash at today's cost.
public struct CredentialChange: Equatable, Sendable {
    public let payload: [UInt8]
    /// The version that was read; if another sign-in got there first, the change is dropped where `isEssential` is false,
    /// and the credential checked once more where it is true.
    public let version: Int64
    /// Whether the sign-in may succeed without it: a counter must be stored, a re-hash can wait.
    public let isEssential: Bool

    public init(payload: [UInt8], version: Int64, isEssential: Bool) {
        self.payload = payload
        self.version = version
        self.isEssential = isEssential
    }
}

/// What a bearer token established: this account, until then.
public struct BearerEvidence: Equatable, Sendable {
    public let account: AccountID
    public let expiresAt: Timestamp

    public init(account: AccountID, expiresAt: Timestamp) {
        self.account = account
        self.expiresAt = expiresAt
    }
}
