/// What an app asks of a combined sign-in request.
public struct SignInOptions: Sendable {
    /// The name typed so far; `nil` asks for passkeys first.
    public var identifier: String?
    /// In the order of preference; `nil` for all that the gateway has.
    public var kinds: [String]?
    public var mediation: Mediation
    /// The device that wants to sign in, where one is enrolled.
    public var deviceId: String?

    public enum Mediation: String, Encodable, Sendable {
        /// `performRequests()`.
        case modal
        /// `performAutoFillAssistedRequests()`: stays good for longer.
        case autofill
        /// `performRequests(options: .preferImmediatelyAvailableCredentials)`.
        case immediate
    }

    public init(
        identifier: String? = nil,
        kinds: [String]? = nil,
        mediation: Mediation = .modal,
        deviceId: String? = nil
    ) {
        self.identifier = identifier
        self.kinds = kinds
        self.mediation = mediation
        self.deviceId = deviceId
    }
}

/// A step-up of the session that the client is in: how much it has to prove, and how recently.
public struct StepUpOptions: Sendable {
    public var kinds: [String]?
    /// `aal1`, `aal2`, `aal3`.
    public var assurance: String?
    /// In seconds.
    public var maxAge: Int?
    public var deviceId: String?

    public init(kinds: [String]? = nil, assurance: String? = nil, maxAge: Int? = nil, deviceId: String? = nil) {
        self.kinds = kinds
        self.assurance = assurance
        self.maxAge = maxAge
        self.deviceId = deviceId
    }

    /// What a refusal with `fresh_session_required` or a check with `insufficient_user_authentication` asks for.
    public init(_ problem: Problem, deviceId: String? = nil) {
        self.init(kinds: problem.kinds, assurance: problem.assurance, maxAge: problem.maxAge, deviceId: deviceId)
    }
}

/// What a sign-in came to.
public struct SignInOutcome: Decodable, Sendable {
    public let status: Status
    public let account: Account?
    public let session: Session?
    public let offer: Offer?
    /// For `needsSecondFactor`: the ceremony that goes on.
    public let ceremonyId: String?
    public let requests: [CredentialRequest]?

    public enum Status: String, Decodable, Sendable {
        case complete
        /// No session yet: one more credential, of the `requests` that came along.
        case needsSecondFactor = "needs_second_factor"
        /// A session that may enrol a passkey and sign out.
        case needsEnrollment = "needs_enrollment"
    }
}

/// A better way to sign in that people are offered, once.
public struct Offer: Decodable, Sendable {
    public let id: String
    /// `passkey` or `trusted-device`.
    public let kind: String
    /// `automatic`, `prompt` or `required`.
    public let mode: String
    /// What a passkey is made with; a device begins its own enrolment.
    public let registration: PasskeyRegistration?

    public enum Answer: String, Encodable, Sendable { case accepted, snoozed, declined, unsupported, failed }
}

extension GatehouseClient {
    /// Begins a sign-in with any kind of credential.
    public func beginSignIn(_ options: SignInOptions = SignInOptions()) async throws(ClientError) -> SignInCeremony {
        try await call(.post, "/sign-in/options", OptionsBody(options))
    }

    /// Begins a step-up of the client's session.
    public func beginStepUp(_ options: StepUpOptions) async throws(ClientError) -> SignInCeremony {
        try await call(.post, "/sign-in/options", OptionsBody(options))
    }

    /// Completes it; exactly one credential can.
    ///
    /// Keep the token of the outcome's session, and set ``token`` to it.
    ///
    /// - Parameter installationId: That of ``DeviceDescription``: a trusted device is then offered once for each installation.
    public func complete(
        _ ceremonyId: String,
        with credential: SignInCredential,
        installationId: String? = nil
    ) async throws(ClientError) -> SignInOutcome {
        let body = VerifyBody(ceremonyId: ceremonyId, credential: credential, installationId: installationId)
        return try await call(.post, "/sign-in/verify", body)
    }

    /// Says what became of an offer, so that nobody is asked twice.
    public func answer(_ offer: String, with answer: Offer.Answer) async throws(ClientError) {
        try await call(.post, "/offers/\(offer)", ["answer": answer])
    }
}

private struct OptionsBody: Encodable {
    let client = "native"
    var identifier: String?
    var kinds: [String]?
    var mediation: SignInOptions.Mediation?
    var deviceId: String?
    var stepUp: Bool?
    var assurance: String?
    var maxAge: Int?

    init(_ options: SignInOptions) {
        identifier = options.identifier
        kinds = options.kinds
        mediation = options.mediation
        deviceId = options.deviceId
    }

    init(_ options: StepUpOptions) {
        kinds = options.kinds
        deviceId = options.deviceId
        stepUp = true
        assurance = options.assurance
        maxAge = options.maxAge
    }
}

private struct VerifyBody: Encodable {
    let ceremonyId: String
    let credential: SignInCredential
    let installationId: String?
}
