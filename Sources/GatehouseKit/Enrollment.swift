/// What an enrolling provider's credentials are called in routes and answers.
public struct CredentialCollection: Sendable {
    /// The path component: `trusted-devices`.
    public let path: String
    /// The member of a list answer: `trustedDevices`.
    public let listName: String
    /// The member of a registration answer: `trustedDevice`.
    public let memberName: String
    /// Whether removing one needs a fresh session, or only a session.
    public let removalNeedsFreshSession: Bool
    /// Whether registration may make a new account, where sign-up is open.
    public let allowsSignup: Bool
    /// Whether only apps have such credentials, so that a page in a browser neither enrols nor uses one.
    public let isNative: Bool

    public init(
        path: StaticString,
        listName: StaticString,
        memberName: StaticString,
        removalNeedsFreshSession: Bool,
        allowsSignup: Bool,
        isNative: Bool = false
    ) {
        self.path = path.description
        self.listName = listName.description
        self.memberName = memberName.description
        self.removalNeedsFreshSession = removalNeedsFreshSession
        self.allowsSignup = allowsSignup
        self.isNative = isNative
    }
}

/// The answer to the first call of an enrolment.
public struct EnrollmentStart<Options: Encodable & Sendable>: Sendable {
    public let options: Options
    /// Handed back, unread, with the ceremony of the second call.
    public let memo: [UInt8]
    /// Those of the account's credentials that the new one will take the place of; they don't count against the quota.
    public let replaces: [CredentialID]

    public init(options: Options, memo: [UInt8] = [], replaces: [CredentialID] = []) {
        self.options = options
        self.memo = memo
        self.replaces = replaces
    }
}

/// A credential that was checked and is to be stored.
public struct NewCredential: Equatable, Sendable {
    /// What the provider looks it up by; unique among its kind.
    public let key: [UInt8]
    /// The provider's own encoding, which no other code reads.
    public let payload: [UInt8]
    public let name: String?
    /// What enrolling it proved, should it sign the account in at once.
    public let proof: Proof
    /// Credentials of this kind with the same value here are replaced: one key per installation, one password per account.
    public let slot: [UInt8]?
    /// A credential of the account that has to be there still, and is replaced.
    public let replaces: CredentialID?

    public init(
        key: [UInt8],
        payload: [UInt8],
        name: String?,
        proof: Proof,
        slot: [UInt8]? = nil,
        replaces: CredentialID? = nil
    ) {
        self.key = key
        self.payload = payload
        self.name = name
        self.proof = proof
        self.slot = slot
        self.replaces = replaces
    }
}
