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

extension GatehouseClient {
    /// Enrols this device for the account that is signed in.
    ///
    /// Make a key for it alone, and delete the key if this throws. Keep the ID with the key: it is what the device signs in with.
    ///
    /// - Returns: The ID that the device goes by.
    public func enroll(_ device: DeviceDescription, key: some DeviceKey) async throws -> String {
        guard let jwk = DevicePublicKey(point: key.publicKey) else { throw DeviceKeyError.notAPoint }
        let body = EnrollmentBody(device: device, key: jwk)
        let begun = try await call(.post, "/trusted-devices/register/options", body, returning: BegunEnrollment.self)
        let signature = try await key.sign(Data(begun.options.clientData.utf8))
        try await call(
            .post,
            "/trusted-devices/register/verify",
            SignedEnrollment(ceremonyId: begun.ceremonyId, response: .init(signature: Base64URLData(signature)))
        )
        return begun.options.deviceId
    }

    /// Signs in with a device that was enrolled, in one go.
    ///
    /// - Throws: ``ClientError/refused(_:)`` with `trusted_device_unknown` if the gateway has forgotten it: delete the key and the
    ///   ID, and let people sign in with something else. What the key throws is passed on.
    public func signIn(with deviceId: String, key: some DeviceKey) async throws -> SignInOutcome {
        let begun = try await beginSignIn(SignInOptions(kinds: ["trusted-device"], deviceId: deviceId))
        guard case .trustedDevice(let statement)? = begun.requests.first else {
            throw ClientError.unexpectedAnswer(status: 200)
        }
        let signature = Base64URLData(try await key.sign(Data(statement.clientData.utf8)))
        return try await complete(begun.ceremonyId, with: .trustedDevice(deviceId: deviceId, signature: signature))
    }

    /// Whether the gateway still knows a device, for an app that is signed out and has one.
    public func isKnown(_ deviceId: String) async throws(ClientError) -> Bool {
        try await call(.post, "/trusted-devices/validate", ["deviceId": deviceId], returning: Validity.self).valid
    }

    public func trustedDevices() async throws(ClientError) -> [TrustedDevice] {
        try await call(.get, "/trusted-devices", returning: DeviceList.self).trustedDevices
    }

    /// Ends a device and the sessions it opened: the client's own, if it is the device in hand.
    ///
    /// Delete the key afterwards.
    public func revokeDevice(_ id: String) async throws(ClientError) {
        try await call(.delete, "/trusted-devices/\(id)")
    }
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

private struct EnrollmentBody: Encodable {
    let device: DeviceDescription
    let key: DevicePublicKey

    private enum CodingKeys: String, CodingKey { case publicKeyJwk }

    func encode(to encoder: any Encoder) throws {
        try device.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(key, forKey: .publicKeyJwk)
    }
}

private struct BegunEnrollment: Decodable {
    let ceremonyId: String
    let options: Options

    struct Options: Decodable {
        let deviceId: String
        let clientData: String
    }
}

private struct SignedEnrollment: Encodable {
    let ceremonyId: String
    let response: Response

    struct Response: Encodable { let signature: Base64URLData }
}

private struct Validity: Decodable { let valid: Bool }
private struct DeviceList: Decodable { let trustedDevices: [TrustedDevice] }
