/// What an enrolling provider's credentials are called in routes and answers.
public struct CredentialCollection: Sendable {
    /// What stands before the collection's routes: `trusted-devices`, `oidc/example`.
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

    /// - Parameter path: Segments of what a path needs no escape for; not from outside.
    public init(
        path: String,
        listName: StaticString,
        memberName: StaticString,
        removalNeedsFreshSession: Bool,
        allowsSignup: Bool,
        isNative: Bool = false
    ) {
        self.path = path
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
