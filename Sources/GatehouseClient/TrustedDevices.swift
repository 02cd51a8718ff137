#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension GatehouseClient {
    /// Makes an attestation of the client data that the gateway wrote.
    public typealias Attest = @Sendable (_ clientData: Data) async throws -> DeviceAttestation

    /// Enrols this device for the account that is signed in.
    ///
    /// Make a key for it alone, and delete the key if this throws. Keep the ID with the key: it is what the device signs in with.
    ///
    /// - Parameter attest: Where the gateway wants proof of the app; see ``DeviceAttestation``.
    /// - Returns: The ID that the device goes by.
    public func enroll(
        _ device: DeviceDescription,
        key: some DeviceKey,
        attest: Attest? = nil
    ) async throws -> String {
        let begun = try await beginEnrollment(of: device, key, rotating: nil)
        try await finish(begun, signedBy: key, former: nil, attest)
        return begun.options.deviceId
    }

    /// Gives a device that is enrolled another key; the former one is good for nothing afterwards.
    public func replaceKey(
        of deviceId: String,
        _ former: some DeviceKey,
        by key: some DeviceKey,
        on device: DeviceDescription,
        attest: Attest? = nil
    ) async throws {
        let begun = try await beginEnrollment(of: device, key, rotating: deviceId)
        try await finish(begun, signedBy: key, former: former, attest)
    }

    private func beginEnrollment(
        of device: DeviceDescription,
        _ key: some DeviceKey,
        rotating deviceId: String?
    ) async throws -> BegunEnrollment {
        guard let jwk = DevicePublicKey(point: key.publicKey) else { throw DeviceKeyError.notAPoint }
        let body = EnrollmentBody(device: device, key: jwk, rotates: deviceId)
        return try await call(.post, "/trusted-devices/register/options", body)
    }

    private func finish(
        _ begun: BegunEnrollment,
        signedBy key: some DeviceKey,
        former: (any DeviceKey)?,
        _ attest: Attest?
    ) async throws {
        let clientData = Data(begun.options.clientData.utf8)
        let response = SignedEnrollment.Response(
            signature: Base64URLData(try await key.sign(clientData)),
            formerSignature: try await former?.sign(clientData).base64URL,
            attestation: try await attest?(clientData)
        )
        let body = SignedEnrollment(ceremonyId: begun.ceremonyId, response: response)
        try await call(.post, "/trusted-devices/register/verify", body)
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

private struct EnrollmentBody: Encodable {
    let device: DeviceDescription
    let key: DevicePublicKey
    let rotates: String?

    private enum CodingKeys: String, CodingKey { case publicKeyJwk, rotates }

    func encode(to encoder: any Encoder) throws {
        try device.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(key, forKey: .publicKeyJwk)
        try values.encodeIfPresent(rotates, forKey: .rotates)
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

    struct Response: Encodable {
        let signature: Base64URLData
        let formerSignature: Base64URLData?
        let attestation: DeviceAttestation?
    }
}

private struct Validity: Decodable { let valid: Bool }
private struct DeviceList: Decodable { let trustedDevices: [TrustedDevice] }

extension Data {
    fileprivate var base64URL: Base64URLData { Base64URLData(self) }
}
