public import GatehouseKit

/// When apps are offered to enrol the device they run on.
public struct DeviceOffers: Equatable, Sendable {
    /// After a sign-in by other means: once for an account and an installation.
    public let afterSignIn: Bool
    /// After each sign-up.
    public let afterSignUp: Bool

    public init(afterSignIn: Bool = true, afterSignUp: Bool = true) {
        self.afterSignIn = afterSignIn
        self.afterSignUp = afterSignUp
    }

    /// Whether to offer what `provider` enrols.
    ///
    /// An installation that doesn't say which it is counts as every other one of its account.
    func decide<P: InstallationBoundProvider>(
        _ occasion: OfferOccasion,
        _ provider: P,
        earlier: [StoredOffer]
    ) throws(ProviderFault) -> Bool {
        guard occasion.session.client == .native, occasion.session.scope == .full, occasion.kind != provider.kind else {
            return false
        }
        guard !occasion.isSignup else { return afterSignUp }
        let held = occasion.credentials.filter { $0.kind == provider.kind && provider.canSignIn(with: $0.record) }
        guard afterSignIn else { return false }
        guard let installation = occasion.installation else { return earlier.isEmpty && held.isEmpty }
        guard !earlier.contains(where: { $0.installation == installation.digest }) else { return false }
        return try !provider.isEnrolled(installation, among: held.map(\.record))
    }
}

/// What someone has just done, by which an offer is decided.
public struct OfferOccasion: Sendable {
    let account: Account
    let session: StoredSession
    /// The account's.
    let credentials: [StoredCredential]
    /// The kind that opened the session.
    let kind: CredentialKind
    let isSignup: Bool
    let isFromOtherDevice: Bool
    let installation: InstallationID?

    var migration: MigrationOccasion { MigrationOccasion(kind, isFromOtherDevice: isFromOtherDevice) }

    init(
        _ completion: Completion,
        kind: CredentialKind,
        installation: InstallationID?
    ) {
        account = completion.account
        session = completion.issued.session
        credentials = completion.credentials
        self.kind = kind
        isSignup = false
        isFromOtherDevice = completion.isFromOtherDevice
        self.installation = installation
    }

    /// A sign-up that was just completed; `nil` for any other enrolment.
    public init?(_ enrolled: EnrollmentResult, installation: InstallationID?) {
        guard let issued = enrolled.issued, enrolled.isSignup else { return nil }
        account = enrolled.account
        session = issued.session
        credentials = enrolled.credentials
        kind = enrolled.kind
        isSignup = true
        isFromOtherDevice = false
        self.installation = installation
    }
}
