public import Wire

/// The relying party in creation options (§5.4.2).
public struct RelyingPartyEntity: Codable, Equatable, Sendable {
    public var id: String
    /// For display.
    public var name: String

    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

/// The account in creation options (§5.4.3).
public struct UserEntity: Codable, Equatable, Sendable {
    /// The user handle: 1 to 64 random bytes, which say nothing about the person (§14.6.1).
    public var id: Base64URL
    public var name: String
    public var displayName: String

    public init(id: Base64URL, name: String, displayName: String) {
        self.id = id
        self.name = name
        self.displayName = displayName
    }
}

/// One algorithm offered (§5.3).
public struct CredentialParameters: Codable, Equatable, Sendable {
    public var type = "public-key"
    public var alg: COSEAlgorithm

    public init(alg: COSEAlgorithm) { self.alg = alg }
}

/// A credential by its ID (§5.8.3).
public struct PublicKeyCredentialDescriptor: Codable, Equatable, Sendable {
    public var type = "public-key"
    public var id: Base64URL
    /// As the client gave them at registration; left out where it gave none.
    public var transports: [String]?

    public init(id: Base64URL, transports: [String] = []) {
        self.id = id
        self.transports = transports.isEmpty ? nil : transports
    }

    public init(_ record: CredentialRecord) {
        self.init(id: record.id, transports: record.transports)
    }
}

/// What kind of authenticator is wanted (§5.4.4).
public struct AuthenticatorSelection: Codable, Equatable, Sendable {
    public var authenticatorAttachment: AuthenticatorAttachment?
    public var residentKey: ResidentKey
    /// For clients of Level 1: true exactly where ``residentKey`` is required.
    public private(set) var requireResidentKey: Bool
    public var userVerification: UserVerification

    public init(
        authenticatorAttachment: AuthenticatorAttachment? = nil,
        residentKey: ResidentKey = .required,
        userVerification: UserVerification = .required
    ) {
        self.authenticatorAttachment = authenticatorAttachment
        self.residentKey = residentKey
        self.requireResidentKey = residentKey == .required
        self.userVerification = userVerification
    }
}

/// What the user is likely to answer with (§5.8.8, `#enum-hints`, editor's draft of 2026-07-30).
public enum PublicKeyCredentialHint: String, Codable, CaseIterable, Sendable {
    case securityKey = "security-key"
    case clientDevice = "client-device"
    case hybrid
}

/// §5.4.6.
public enum ResidentKey: String, Codable, Sendable {
    case discouraged, preferred, required
}

/// §5.8.6.
public enum UserVerification: String, Codable, Sendable {
    case required, preferred, discouraged
}

/// §5.4.7.
public enum AttestationConveyance: String, Codable, Sendable {
    case none, indirect, direct, enterprise
}

/// The extensions asked for at creation.
public struct CreationExtensions: Codable, Equatable, Sendable {
    /// Asks whether the credential became discoverable (§10.1.3).
    public var credProps = true

    public init() {}
}
