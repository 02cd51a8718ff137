public import FoundationEssentials
public import GatehouseKit

/// What a client asks for when it begins to enrol a credential.
public struct EnrollmentRequest: Sendable {
    /// The path of the collection: `passkeys`.
    public let collection: String
    public let username: String?
    public let displayName: String?
    public let client: ClientKind
    public let mediation: Mediation
    /// The automatic offer that a conditional creation answers.
    public let offer: OfferID?
    /// The whole body, for the provider's own members; strict JSON.
    public let json: Data

    public init(
        collection: String,
        username: String? = nil,
        displayName: String? = nil,
        client: ClientKind = .browser,
        mediation: Mediation = .modal,
        offer: OfferID? = nil,
        json: Data = Data("{}".utf8)
    ) {
        self.collection = collection
        self.username = username
        self.displayName = displayName
        self.client = client
        self.mediation = mediation
        self.offer = offer
        self.json = json
    }
}

/// A registration ceremony that waits for its response.
public struct BegunEnrollment: Sendable {
    public let ceremony: CeremonyID
    public let options: any Encodable & Sendable
    public let expiresAt: Timestamp
}

/// Whom a credential is enrolled for.
struct EnrollmentSubject {
    let account: AccountReference
    let existing: [StoredCredential]
    let signup: SignupDraft?

    init(account: AccountReference, existing: [StoredCredential], signup: SignupDraft?) {
        self.account = account
        self.existing = existing
        self.signup = signup
    }

    /// An account that will exist once the registration succeeds.
    init(_ profile: AccountProfile) {
        let handle = AccountService.userHandle()
        account = AccountReference(
            id: .random(),
            username: profile.username,
            displayName: profile.displayName,
            userHandle: handle
        )
        existing = []
        signup = SignupDraft(username: profile.username, displayName: profile.displayName, userHandle: handle)
    }
}
