/// A sign-in that was begun: everything that the system sheet needs, for one completion.
public struct SignInCeremony: Decodable, Sendable {
    public let ceremonyId: String
    /// RFC 3339; after it, begin again.
    public let expiresAt: String
    public let requests: [CredentialRequest]
}

/// What the gateway would take, of one kind.
public enum CredentialRequest: Decodable, Sendable {
    case passkey(PasskeyRequest)
    case password
    case trustedDevice(DeviceStatement)
    case apple(AppleRequest)
    /// A kind that this version doesn't know; leave it out.
    case other(kind: String)

    public struct AppleRequest: Decodable, Sendable {
        /// For `ASAuthorizationAppleIDRequest.nonce`.
        public let nonce: String
        public let clientIds: [String]
    }

    private enum CodingKeys: String, CodingKey { case kind, options }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        switch try values.decode(String.self, forKey: .kind) {
        case "passkey": self = .passkey(try values.decode(PasskeyRequest.self, forKey: .options))
        case "password": self = .password
        case "trusted-device": self = .trustedDevice(try DeviceStatement(from: decoder))
        case "apple": self = .apple(try AppleRequest(from: decoder))
        case let kind: self = .other(kind: kind)
        }
    }
}

/// What completes a sign-in, by its kind.
public enum SignInCredential: Sendable {
    case passkey(PasskeyAssertion)
    case password(identifier: String, password: String)
    case trustedDevice(deviceId: String, signature: Base64URLData)
    /// - Parameter name: What Apple gives at the first consent, and never again.
    case apple(identityToken: String, authorizationCode: String?, name: String?)
    case recoveryCode(identifier: String, code: String)
}

extension SignInCredential: Encodable {
    private enum CodingKeys: String, CodingKey {
        case kind, response, identifier, password, deviceId, signature, identityToken, authorizationCode, user, code
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .passkey(let assertion):
            try values.encode("passkey", forKey: .kind)
            try values.encode(assertion, forKey: .response)
        case .password(let identifier, let password):
            try values.encode("password", forKey: .kind)
            try values.encode(identifier, forKey: .identifier)
            try values.encode(password, forKey: .password)
        case .trustedDevice(let id, let signature):
            try values.encode("trusted-device", forKey: .kind)
            try values.encode(id, forKey: .deviceId)
            try values.encode(signature, forKey: .signature)
        case .apple(let token, let code, let name):
            try values.encode("apple", forKey: .kind)
            try values.encode(token, forKey: .identityToken)
            try values.encodeIfPresent(code, forKey: .authorizationCode)
            try values.encodeIfPresent(name.map { ["name": $0] }, forKey: .user)
        case .recoveryCode(let identifier, let code):
            try values.encode("recovery-code", forKey: .kind)
            try values.encode(identifier, forKey: .identifier)
            try values.encode(code, forKey: .code)
        }
    }
}
