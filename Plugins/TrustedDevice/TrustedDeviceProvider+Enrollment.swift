import Crypto
public import GatehouseKit
import Wire

extension TrustedDeviceProvider: EnrollingProvider {
    public var collection: CredentialCollection {
        CredentialCollection(
            path: "trusted-devices",
            listName: "trustedDevices",
            memberName: "trustedDevice",
            removalNeedsFreshSession: false,
            allowsSignup: false
        )
    }

    /// The ID that the device gets, and what it has to sign to show that it holds the key.
    public struct Options: Encodable, Sendable {
        let deviceId: String
        let clientData: String
        let algorithms = [TrustedDevice.algorithm]
    }

    /// The signature over the client data; an attestation beside it isn't read.
    public struct Registration: Decodable, Sendable {
        let signature: Base64URL
    }

    public func beginEnrollment(
        _ request: DeviceRequest,
        of account: AccountReference,
        existing: [CredentialRecord],
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> EnrollmentStart<Options> {
        try request.check()
        guard allowedApps?.contains(request.appId) ?? true else {
            throw .refused(Refusal(.appNotAllowed, "the app may not enrol devices"))
        }
        let device = try TrustedDevice(request)
        let statement = statement(.enrollment, device.deviceID, of: account.id.text, ceremony)
        do throws(ProviderFault) {
            return EnrollmentStart(
                options: Options(deviceId: device.deviceID, clientData: try statement.text()),
                memo: try device.encoded()
            )
        } catch { throw .unavailable(error) }
    }

    public func finishEnrollment(
        _ registration: Registration,
        of account: AccountReference,
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> NewCredential {
        let memo = ceremony.memo
        let device = try found { () throws(ProviderFault) in try TrustedDevice.decode(memo) }
        try check(
            registration.signature.bytes,
            by: device.key,
            over: statement(.enrollment, device.deviceID, of: account.id.text, ceremony)
        )
        return NewCredential(
            key: Self.key(of: device.deviceID),
            payload: memo,
            name: device.name,
            proof: Self.proof,
            slot: device.slot
        )
    }

    public func summary(
        of record: CredentialRecord,
        isCurrent: Bool
    ) throws(ProviderFault) -> TrustedDeviceSummary {
        TrustedDeviceSummary(record, try TrustedDevice.decode(record.payload), isCurrent: isCurrent)
    }
}

extension TrustedDevice {
    /// A device with a new ID, as the request describes it.
    fileprivate init(_ request: DeviceRequest) throws(SignInError) {
        do throws(DeviceKey.Fault) {
            key = try request.publicKeyJwk.checked()
        } catch {
            switch error {
            case .malformed: throw .refused(Refusal(.malformedCredential, "the key is no P-256 public key"))
            case .unsupported: throw .refused(Refusal(.unsupportedAlgorithm, "only ES256 keys are taken"))
            }
        }
        deviceID = Base64URL(bytes: Random.bytes(16)).text
        name = request.name
        platform = request.platform
        appID = request.appId
        installationID = request.installationId
        unlockPolicy = request.unlockPolicy
    }

    /// One active device for each installation of an app, or for each key where the app doesn't name its installation.
    ///
    /// Across accounts: when someone else enrols on the same phone, the key of the one before is gone from it.
    fileprivate var slot: [UInt8] {
        guard let installationID else { return SHA256.hash(Array("key\0".utf8) + key.x.bytes + key.y.bytes) }
        return SHA256.hash(Array("installation\0\(appID)\0\(installationID)".utf8))
    }
}
