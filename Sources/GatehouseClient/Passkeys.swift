/// What to ask the system for an assertion with (WebAuthn Level 3 §5.5).
public struct PasskeyRequest: Decodable, Sendable {
    public let challenge: Base64URLData
    public let rpId: String
    /// The account's passkeys, where a name was given; empty for any.
    public let allowCredentials: [PasskeyDescriptor]
    /// `required`, `preferred`, `discouraged`.
    public let userVerification: String

    private enum CodingKeys: String, CodingKey { case challenge, rpId, allowCredentials, userVerification }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        challenge = try values.decode(Base64URLData.self, forKey: .challenge)
        rpId = try values.decode(String.self, forKey: .rpId)
        allowCredentials = try values.decodeIfPresent([PasskeyDescriptor].self, forKey: .allowCredentials) ?? []
        userVerification = try values.decodeIfPresent(String.self, forKey: .userVerification) ?? "preferred"
    }
}

public struct PasskeyDescriptor: Decodable, Sendable {
    public let id: Base64URLData
    public let transports: [String]?
}

/// A passkey to be made.
public struct PasskeyRegistration: Decodable, Sendable {
    public let ceremonyId: String
    public let options: Options

    /// What to ask the system for a new passkey with (WebAuthn Level 3 §5.4).
    public struct Options: Decodable, Sendable {
        public let challenge: Base64URLData
        public let rp: Party
        public let user: User
        /// What is registered already; `nil` for nothing.
        public let excludeCredentials: [PasskeyDescriptor]?
    }

    public struct Party: Decodable, Sendable {
        public let id: String
        public let name: String
    }

    public struct User: Decodable, Sendable {
        public let id: Base64URLData
        public let name: String
        public let displayName: String
    }
}

/// What the system gives for a sign-in: the raw fields of `ASAuthorizationPublicKeyCredentialAssertion`.
public struct PasskeyAssertion: Sendable {
    public let credentialID: Base64URLData
    public let rawClientDataJSON: Base64URLData
    public let rawAuthenticatorData: Base64URLData
    public let signature: Base64URLData
    public let userID: Base64URLData?

    public init(
        credentialID: Base64URLData,
        rawClientDataJSON: Base64URLData,
        rawAuthenticatorData: Base64URLData,
        signature: Base64URLData,
        userID: Base64URLData?
    ) {
        self.credentialID = credentialID
        self.rawClientDataJSON = rawClientDataJSON
        self.rawAuthenticatorData = rawAuthenticatorData
        self.signature = signature
        self.userID = userID
    }
}

/// What the system gives for a new passkey: the raw fields of `ASAuthorizationPublicKeyCredentialRegistration`.
public struct PasskeyAttestation: Sendable {
    public let credentialID: Base64URLData
    public let rawClientDataJSON: Base64URLData
    public let rawAttestationObject: Base64URLData

    public init(credentialID: Base64URLData, rawClientDataJSON: Base64URLData, rawAttestationObject: Base64URLData) {
        self.credentialID = credentialID
        self.rawClientDataJSON = rawClientDataJSON
        self.rawAttestationObject = rawAttestationObject
    }
}

/// A passkey of the account.
public struct Passkey: Decodable, Equatable, Sendable {
    public let id: String
    public let name: String?
    /// Who keeps it, such as `iCloud Keychain`.
    public let provider: String?
    public let createdAt: String
    public let lastUsedAt: String?
    public let backedUp: Bool
    public let deviceBound: Bool
}

extension GatehouseClient {
    /// Begins to make a passkey: for the account that is signed in, or a new one where sign-up is open.
    ///
    /// - Throws: ``ClientError/refused(_:)`` with `fresh_session_required` where the session must prove itself first; see
    ///   ``StepUpOptions/init(_:deviceId:)``.
    public func beginPasskeyRegistration(
        username: String? = nil,
        displayName: String? = nil
    ) async throws(ClientError) -> PasskeyRegistration {
        let body = RegistrationOptionsBody(username: username, displayName: displayName)
        return try await call(.post, "/passkeys/register/options", body)
    }

    /// - Returns: What was stored, with a session where there was none before.
    public func complete(
        _ registration: PasskeyRegistration,
        with attestation: PasskeyAttestation
    ) async throws(ClientError) -> RegisteredPasskey {
        let body = RegistrationBody(ceremonyId: registration.ceremonyId, response: attestation)
        return try await call(.post, "/passkeys/register/verify", body)
    }

    public func passkeys() async throws(ClientError) -> [Passkey] {
        try await call(.get, "/passkeys", returning: PasskeyList.self).passkeys
    }

    public func renamePasskey(_ id: String, to name: String) async throws(ClientError) {
        try await call(.patch, "/passkeys/\(id)", ["name": name])
    }

    public func deletePasskey(_ id: String) async throws(ClientError) { try await call(.delete, "/passkeys/\(id)") }
}

public struct RegisteredPasskey: Decodable, Sendable {
    public let passkey: Passkey
    public let session: Session?
}

private struct RegistrationOptionsBody: Encodable {
    let client = "native"
    let username: String?
    let displayName: String?
}

private struct RegistrationBody: Encodable {
    let ceremonyId: String
    let response: PasskeyAttestation
}

private struct PasskeyList: Decodable { let passkeys: [Passkey] }
