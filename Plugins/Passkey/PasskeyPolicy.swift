public import WebAuthn

/// What passkeys are asked for, and what is insisted on.
public struct PasskeyPolicy: Sendable {
    /// Asked for at registration and sign-in alike.
    ///
    /// With ``WebAuthn/UserVerification/required`` a response without it is refused; otherwise the response decides
    /// whether the passkey counts for one factor or for two.
    public let userVerification: UserVerification

    /// Preferred by default: a security key that is out of space for discoverable credentials can still be enrolled, and
    /// then signs in where a name is given first.
    public let residentKey: ResidentKey

    /// The only kind of authenticator that clients are asked for, which they may disregard; `nil` for any.
    public let authenticatorAttachment: AuthenticatorAttachment?

    /// How long the client's dialogue stays open, in milliseconds; a hint.
    public let timeout: Int

    /// Offered at registration, the preferred one first; a passkey signs in with the one it was registered with.
    public let algorithms: [COSEAlgorithm]

    /// What clients should suggest, the likeliest first; binds nobody.
    public let hints: [PublicKeyCredentialHint]

    /// Which authenticators may register.
    public let authenticators: AuthenticatorRules

    /// What is known of models: names and pictures to show, and reports that make an attestation worthless; `nil` without.
    public let metadata: AuthenticatorMetadata?

    /// What becomes of a sign-in whose signature counter did not rise.
    public let counterRegression: AnomalyPolicy

    /// What becomes of a sign-in by a passkey that changed whether it can leave its device.
    public let backupEligibilityChange: AnomalyPolicy

    public init(
        userVerification: UserVerification = .preferred,
        residentKey: ResidentKey = .preferred,
        authenticatorAttachment: AuthenticatorAttachment? = nil,
        timeout: Int = 60_000,
        algorithms: [COSEAlgorithm] = COSEAlgorithm.defaults,
        hints: [PublicKeyCredentialHint] = [],
        authenticators: AuthenticatorRules = AuthenticatorRules(),
        metadata: AuthenticatorMetadata? = nil,
        counterRegression: AnomalyPolicy = .refuse,
        backupEligibilityChange: AnomalyPolicy = .refuse
    ) {
        self.userVerification = userVerification
        self.residentKey = residentKey
        self.authenticatorAttachment = authenticatorAttachment
        self.timeout = timeout
        self.algorithms = algorithms
        self.hints = hints
        self.authenticators = authenticators
        self.metadata = metadata
        self.counterRegression = counterRegression
        self.backupEligibilityChange = backupEligibilityChange
    }

    var requiresUserVerification: Bool { userVerification == .required }
}
