public import Wire

/// The answer to a registration, as `PublicKeyCredential.toJSON()` gives it.
///
/// WebAuthn Level 3 §5.1 (`#dictdef-registrationresponsejson`), editor's draft of 2026-07-30. Bytes are unpadded
/// base64url and nothing else. The convenience members `publicKey`, `publicKeyAlgorithm` and `authenticatorData` repeat
/// what the attestation object says, and are not read.
public struct RegistrationResponseJSON: Equatable, Sendable {
    /// The credential ID; `id` and `rawId` are the same.
    public let id: Base64URL
    public let clientDataJSON: Base64URL
    public let attestationObject: Base64URL
    /// Names of transports, known or not; see ``TransportList``.
    public let transports: [String]
    public let authenticatorAttachment: AuthenticatorAttachment?
    public let discoverability: Discoverability

    /// For responses that came in another form than JSON.
    public init(
        id: Base64URL,
        clientDataJSON: Base64URL,
        attestationObject: Base64URL,
        transports: [String] = [],
        authenticatorAttachment: AuthenticatorAttachment? = nil,
        discoverability: Discoverability = .unknown
    ) {
        self.id = id
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        self.transports = transports
        self.authenticatorAttachment = authenticatorAttachment
        self.discoverability = discoverability
    }
}

extension RegistrationResponseJSON: Decodable {
    private enum CodingKeys: String, CodingKey { case response }
    private enum ResponseKeys: String, CodingKey { case clientDataJSON, attestationObject, transports }

    public init(from decoder: any Decoder) throws {
        let credential = try CredentialMembers(from: decoder)
        id = credential.id
        authenticatorAttachment = credential.attachment
        discoverability = credential.discoverability
        let response = try decoder.container(keyedBy: CodingKeys.self)
            .nestedContainer(keyedBy: ResponseKeys.self, forKey: .response)
        clientDataJSON = try response.decode(Base64URL.self, forKey: .clientDataJSON)
        attestationObject = try response.decode(Base64URL.self, forKey: .attestationObject)
        transports = try response.decodeIfPresent(TransportList.self, forKey: .transports)?.names ?? []
    }
}

/// The answer to an authentication, as `PublicKeyCredential.toJSON()` gives it.
///
/// WebAuthn Level 3 §5.1 (`#dictdef-authenticationresponsejson`), editor's draft of 2026-07-30.
public struct AuthenticationResponseJSON: Equatable, Sendable {
    /// The credential ID; `id` and `rawId` are the same.
    public let id: Base64URL
    public let clientDataJSON: Base64URL
    public let authenticatorData: Base64URL
    public let signature: Base64URL
    /// Absent where the authenticator doesn't keep it.
    public let userHandle: Base64URL?
    public let authenticatorAttachment: AuthenticatorAttachment?

    /// For responses that came in another form than JSON.
    public init(
        id: Base64URL,
        clientDataJSON: Base64URL,
        authenticatorData: Base64URL,
        signature: Base64URL,
        userHandle: Base64URL? = nil,
        authenticatorAttachment: AuthenticatorAttachment? = nil
    ) {
        self.id = id
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
        self.authenticatorAttachment = authenticatorAttachment
    }
}

extension AuthenticationResponseJSON: Decodable {
    private enum CodingKeys: String, CodingKey { case response }
    private enum ResponseKeys: String, CodingKey { case clientDataJSON, authenticatorData, signature, userHandle }

    public init(from decoder: any Decoder) throws {
        let credential = try CredentialMembers(from: decoder)
        id = credential.id
        authenticatorAttachment = credential.attachment
        let response = try decoder.container(keyedBy: CodingKeys.self)
            .nestedContainer(keyedBy: ResponseKeys.self, forKey: .response)
        clientDataJSON = try response.decode(Base64URL.self, forKey: .clientDataJSON)
        authenticatorData = try response.decode(Base64URL.self, forKey: .authenticatorData)
        signature = try response.decode(Base64URL.self, forKey: .signature)
        userHandle = try response.decodeIfPresent(Base64URL.self, forKey: .userHandle)
    }
}

/// Credential IDs, as far as they have a form.
enum CredentialID {
    /// In bytes (§6.5.1; §7.1 step 25).
    static let lengths = 1...1023
}

/// The members that both answers have.
private struct CredentialMembers: Decodable {
    let id: Base64URL
    let attachment: AuthenticatorAttachment?
    let discoverability: Discoverability

    private enum CodingKeys: String, CodingKey {
        case id, rawId, type, authenticatorAttachment, clientExtensionResults
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        id = try values.decode(Base64URL.self, forKey: .id)
        guard CredentialID.lengths.contains(id.bytes.count) else {
            throw DecodingError.dataCorruptedError(forKey: .id, in: values, debugDescription: "1 to 1023 bytes")
        }
        guard try values.decode(Base64URL.self, forKey: .rawId) == id else {
            throw DecodingError.dataCorruptedError(forKey: .rawId, in: values, debugDescription: "differs from id")
        }
        guard try values.decode(String.self, forKey: .type) == "public-key" else {
            throw DecodingError.dataCorruptedError(forKey: .type, in: values, debugDescription: "not public-key")
        }
        // Hints of the client: what can't be read is as good as absent.
        attachment = (try? values.decode(String.self, forKey: .authenticatorAttachment)).flatMap(
            AuthenticatorAttachment.init(rawValue:)
        )
        let results = try? values.decode(ClientExtensionResults.self, forKey: .clientExtensionResults)
        discoverability = results?.discoverability ?? .unknown
    }
}

/// The client extension outputs that are read here; others are ignored.
private struct ClientExtensionResults: Decodable {
    let discoverability: Discoverability

    private enum CodingKeys: String, CodingKey { case credProps }
    private struct CredentialProperties: Decodable { let rk: Bool? }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let properties = try? values.decode(CredentialProperties.self, forKey: .credProps)
        discoverability =
            switch properties?.rk {
            case true?: .discoverable
            case false?: .notDiscoverable
            case nil: .unknown
            }
    }
}
