#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A P-256 key that this device keeps and unlocks for its user.
///
/// ``SecureEnclaveKey`` on Apple's systems; an app elsewhere conforms what its own system has.
public protocol DeviceKey: Sendable {
    /// The 65 bytes of the uncompressed point (SEC 1 §2.3.3).
    var publicKey: Data { get }

    /// ECDSA with SHA-256: the DER that systems give, or `r‖s` in 64 bytes. The gateway takes either.
    func sign(_ message: Data) async throws -> Data
}

/// What a device has to sign: the UTF-8 bytes of a text that only the gateway writes, as it is.
public struct DeviceStatement: Decodable, Sendable {
    public let clientData: String
    public let algorithms: [String]
}

/// What the gateway is told of the device and the app on it.
public struct DeviceDescription: Encodable, Sendable {
    /// As its owner calls it.
    public var name: String?
    /// Such as `ios` or `android`.
    public var platform: String
    /// The bundle identifier or package name.
    public var appId: String
    /// When the system unlocks the key: `biometry_current_set`, `biometry_any`, `biometry_or_device_passcode`.
    public var unlockPolicy: String?
    /// 22 or more random base64url characters that are made at the first start of the app and kept to itself: a device that
    /// enrols again with them takes the place of the one before.
    public var installationId: String?

    public init(
        name: String? = nil,
        platform: String,
        appId: String,
        unlockPolicy: String? = nil,
        installationId: String? = nil
    ) {
        self.name = name
        self.platform = platform
        self.appId = appId
        self.unlockPolicy = unlockPolicy
        self.installationId = installationId
    }
}

/// A device of the account.
public struct TrustedDevice: Decodable, Equatable, Sendable {
    public let id: String
    public let name: String?
    public let platform: String
    public let appId: String
    public let status: String
    public let createdAt: String
    public let lastUsedAt: String?
    /// Whether the client's session was opened by it.
    public let current: Bool
}

public enum DeviceKeyError: Error, Equatable {
    /// The public key is not the 65 bytes of an uncompressed point.
    case notAPoint
}

/// A P-256 public key as a JSON Web Key (RFC 7518 §6.2.1).
struct DevicePublicKey: Encodable, Sendable {
    let kty = "EC"
    let crv = "P-256"
    let alg = "ES256"
    let x: Base64URLData
    let y: Base64URLData

    init?(point: Data) {
        guard point.count == 65, point.first == 4 else { return nil }
        x = Base64URLData(Data(point.dropFirst().prefix(32)))
        y = Base64URLData(Data(point.suffix(32)))
    }
}

/// What shows the gateway that the app is genuine, or what keeps the key.
public enum DeviceAttestation: Encodable, Sendable {
    /// What `DCAppAttestService` made, with SHA-256 of the client data as its `clientDataHash`.
    case appAttest(Base64URLData)
    /// The certificates of a key in Android's keystore, in DER, its own first.
    case androidKey([Base64URLData])

    private enum CodingKeys: String, CodingKey { case format, object, x5c }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .appAttest(let object):
            try values.encode("apple-appattest", forKey: .format)
            try values.encode(object, forKey: .object)
        case .androidKey(let certificates):
            try values.encode("android-key", forKey: .format)
            try values.encode(certificates, forKey: .x5c)
        }
    }
}
