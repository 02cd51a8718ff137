public import Wire

/// What a client is asked when a credential is to be created.
///
/// WebAuthn Level 3 §5.1.8 (`#dictdef-publickeycredentialcreationoptionsjson`), editor's draft of 2026-07-30, with its
/// member names. Members that are `nil` are left out. Unless told otherwise it asks for a discoverable credential whose user is
/// verified, as ``RegistrationExpectation`` then insists on.
public struct PublicKeyCredentialCreationOptionsJSON: Codable, Equatable, Sendable {
    public var rp: RelyingPartyEntity
    public var user: UserEntity
    /// 32 random bytes, kept with the ceremony.
    public var challenge: Base64URL
    public var pubKeyCredParams: [CredentialParameters]
    /// In milliseconds; a hint.
    public var timeout: Int?
    public var excludeCredentials: [PublicKeyCredentialDescriptor]
    public var authenticatorSelection: AuthenticatorSelection?
    /// The likeliest first; left out when there are none.
    public var hints: [PublicKeyCredentialHint]?
    public var attestation: AttestationConveyance
    public var extensions: CreationExtensions?

    public init(
        rp: RelyingPartyEntity,
        user: UserEntity,
        challenge: Base64URL = .challenge(),
        algorithms: [COSEAlgorithm] = COSEAlgorithm.defaults,
        timeout: Int? = nil,
        excludeCredentials: [PublicKeyCredentialDescriptor] = [],
        authenticatorSelection: AuthenticatorSelection? = AuthenticatorSelection(),
        hints: [PublicKeyCredentialHint] = [],
        attestation: AttestationConveyance = .none,
        extensions: CreationExtensions? = CreationExtensions()
    ) {
        self.rp = rp
        self.user = user
        self.challenge = challenge
        self.pubKeyCredParams = algorithms.map(CredentialParameters.init(alg:))
        self.timeout = timeout
        self.excludeCredentials = excludeCredentials
        self.authenticatorSelection = authenticatorSelection
        self.hints = hints.isEmpty ? nil : hints
        self.attestation = attestation
        self.extensions = extensions
    }
}

/// What a client is asked when a credential is to be used.
///
/// WebAuthn Level 3 §5.1.9 (`#dictdef-publickeycredentialrequestoptionsjson`), editor's draft of 2026-07-30.
public struct PublicKeyCredentialRequestOptionsJSON: Codable, Equatable, Sendable {
    /// 32 random bytes, kept with the ceremony.
    public var challenge: Base64URL
    /// In milliseconds; a hint.
    public var timeout: Int?
    public var rpId: String
    /// Left out when there are none: the client then offers every discoverable credential it has.
    public var allowCredentials: [PublicKeyCredentialDescriptor]?
    public var userVerification: UserVerification
    /// The likeliest first; left out when there are none.
    public var hints: [PublicKeyCredentialHint]?

    public init(
        challenge: Base64URL = .challenge(),
        rpId: String,
        timeout: Int? = nil,
        allowCredentials: [PublicKeyCredentialDescriptor] = [],
        userVerification: UserVerification = .required,
        hints: [PublicKeyCredentialHint] = []
    ) {
        self.challenge = challenge
        self.timeout = timeout
        self.rpId = rpId
        self.allowCredentials = allowCredentials.isEmpty ? nil : allowCredentials
        self.userVerification = userVerification
        self.hints = hints.isEmpty ? nil : hints
    }
}
