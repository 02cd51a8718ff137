/// A registration response to be encoded; bytes are base64url already.
public struct RegistrationAnswer: Encodable, Sendable {
    public struct Response: Encodable, Sendable {
        public var clientDataJSON: String
        public var attestationObject: String
        public var transports: [String]?
    }

    public struct ExtensionResults: Encodable, Sendable {
        public struct CredentialProperties: Encodable, Sendable { public var rk: Bool }
        public var credProps: CredentialProperties?
    }

    public var id: String
    public var rawId: String
    public var type = "public-key"
    public var authenticatorAttachment: String? = "platform"
    public var response: Response
    public var clientExtensionResults: ExtensionResults

    init(
        id: String,
        clientDataJSON: String,
        attestationObject: String,
        transports: [String],
        discoverable: Bool?
    ) {
        self.id = id
        rawId = id
        response = Response(
            clientDataJSON: clientDataJSON,
            attestationObject: attestationObject,
            transports: transports
        )
        clientExtensionResults = ExtensionResults(
            credProps: discoverable.map(ExtensionResults.CredentialProperties.init)
        )
    }
}

/// An authentication response to be encoded; bytes are base64url already.
public struct AssertionAnswer: Encodable, Sendable {
    public struct Response: Encodable, Sendable {
        public var clientDataJSON: String
        public var authenticatorData: String
        public var signature: String
        public var userHandle: String?
    }

    public var id: String
    public var rawId: String
    public var type = "public-key"
    public var authenticatorAttachment: String? = "platform"
    public var response: Response
    public var clientExtensionResults: [String: Bool] = [:]

    init(id: String, clientDataJSON: String, authenticatorData: String, signature: String, userHandle: String?) {
        self.id = id
        rawId = id
        response = Response(
            clientDataJSON: clientDataJSON,
            authenticatorData: authenticatorData,
            signature: signature,
            userHandle: userHandle
        )
    }
}

/// The members of creation options that an authenticator acts upon.
struct CreationOptions: Decodable {
    struct Party: Decodable { let id: String? }
    struct User: Decodable { let id: String }
    struct Parameters: Decodable { let alg: Int }
    struct Selection: Decodable {
        let residentKey: String?
        let userVerification: String?
    }
    struct Extensions: Decodable { let credProps: Bool? }

    let rp: Party
    let user: User
    let challenge: String
    let pubKeyCredParams: [Parameters]
    let excludeCredentials: [Descriptor]?
    let authenticatorSelection: Selection?
    let extensions: Extensions?
}

/// The members of request options that an authenticator acts upon.
struct RequestOptions: Decodable {
    let challenge: String
    let rpId: String
    let allowCredentials: [Descriptor]?
    let userVerification: String?
}

struct Descriptor: Decodable { let id: String }
