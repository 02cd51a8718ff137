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
            allowsSignup: false,
            isNative: true
        )
    }

    public var quota: Int { policy.quota }

    /// The ID that the device gets, and what it has to sign to show that it holds the key.
    public struct Options: Encodable, Sendable {
        let deviceId: String
        let clientData: String
        let algorithms = [TrustedDevice.algorithm]
    }

    /// The signature over the client data, that of the former key where one is replaced, and what attests to either.
    public struct Registration: Decodable, Sendable {
        let signature: Base64URL
        let formerSignature: Base64URL?
        let attestation: DeviceAttestation?
    }

    public func beginEnrollment(
        _ request: DeviceRequest,
        of account: AccountReference,
        existing: [CredentialRecord],
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> EnrollmentStart<Options> {
        try request.check()
        let app: DeviceApp
        do throws(Refusal) { app = try policy.app(request.appId, on: request.platform) } catch { throw .refused(error) }
        let draft: DeviceDraft
        if let id = request.rotates {
            draft = try rotation(of: id, among: existing, request)
        } else {
            draft = try DeviceDraft(request, deviceID: Base64URL(bytes: Random.bytes(16)).text)
        }
        if draft.key == nil {
            guard case .android? = app.attestation.identity else {
                throw .refused(Refusal(.malformedCredential, "only a key that Android attests to may follow later"))
            }
        }
        let statement = statement(draft, of: account, ceremony)
        let memo = try found { () throws(ProviderFault) in try DeviceCoding.encode(draft) }
        let clientData = try found { () throws(ProviderFault) in try statement.text() }
        return EnrollmentStart(
            options: Options(deviceId: draft.deviceID, clientData: clientData),
            memo: memo,
            replaces: try replaced(by: draft, among: existing)
        )
    }

    /// A key for a device that is there: same ID, same app, same installation unless it names another.
    private func rotation(
        of id: String,
        among existing: [CredentialRecord],
        _ request: DeviceRequest
    ) throws(SignInError) -> DeviceDraft {
        guard let record = existing.first(where: { $0.key == Self.key(of: id) }), !isExpired(record) else {
            throw .refused(Refusal(.trustedDeviceUnknown, "no such device", remedy: .unknownDevice(id: id)))
        }
        let device = try found { () throws(ProviderFault) in try TrustedDevice(record) }
        guard device.appID == request.appId, device.platform == request.platform else {
            throw .refused(Refusal(.invalidValue, "a device keeps its app and its platform"))
        }
        return try DeviceDraft(request, deviceID: id, rotating: device)
    }

    /// Those of the account's devices that this one will take the place of.
    private func replaced(
        by draft: DeviceDraft,
        among existing: [CredentialRecord]
    ) throws(SignInError) -> [CredentialID] {
        try found { () throws(ProviderFault) in
            var replaced: [CredentialID] = []
            for record in existing where try TrustedDevice(record).givesWay(to: draft) { replaced.append(record.id) }
            return replaced
        }
    }

    public func finishEnrollment(
        _ registration: Registration,
        of account: AccountReference,
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> NewCredential {
        let memo = ceremony.memo
        let draft = try found { () throws(ProviderFault) in try DeviceCoding.decode(DeviceDraft.self, memo) }
        let signed = statement(draft, of: account, ceremony)
        let text = try found { () throws(ProviderFault) in try signed.text() }
        let time = ceremony.begunAt.milliseconds / 1_000
        let (attestedKey, attested) = try attestation(registration.attestation, of: draft, over: text, at: time)
        guard let key = draft.key ?? attestedKey else {
            throw .refused(Refusal(.malformedCredential, "there is no key"))
        }
        guard attestedKey.map({ $0 == key }) ?? true else { throw .unsound("the attestation is for another key") }
        try check(registration.signature.bytes, by: key, over: signed)
        let former = draft.isRotation ? try former(draft, account, registration, signed, key) : nil
        let device = TrustedDevice(draft, key: key, attested)
        return NewCredential(
            key: Self.key(of: device.deviceID),
            payload: try found { () throws(ProviderFault) in try DeviceCoding.encode(device) },
            name: device.name,
            proof: proof(of: device),
            slot: device.slot,
            replaces: former
        )
    }

    /// The record of the key that is replaced, which has to be another one and to sign as well.
    private func former(
        _ draft: DeviceDraft,
        _ account: AccountReference,
        _ registration: Registration,
        _ signed: DeviceStatement,
        _ key: DeviceKey.Coordinates
    ) throws(SignInError) -> CredentialID {
        guard let (record, device) = try known(draft.deviceID), record.account == account.id else {
            throw .refused(
                Refusal(.trustedDeviceUnknown, "no such device", remedy: .unknownDevice(id: draft.deviceID))
            )
        }
        guard device.key != key else { throw .refused(Refusal(.invalidValue, "the device has this key")) }
        try check(registration.formerSignature?.bytes ?? [], by: device.key, over: signed)
        return record.id
    }

    public func summary(
        of record: CredentialRecord,
        isCurrent: Bool
    ) throws(ProviderFault) -> TrustedDeviceSummary {
        TrustedDeviceSummary(record, try TrustedDevice(record), isCurrent: isCurrent, isExpired: isExpired(record))
    }

    private func statement(
        _ draft: DeviceDraft,
        of account: AccountReference,
        _ ceremony: borrowing Ceremony
    ) -> DeviceStatement {
        DeviceStatement(
            draft.isRotation ? .rotation : .enrollment,
            device: draft.deviceID,
            account: account.id.text,
            audience: audience,
            ceremony: ceremony,
            key: draft.key,
            unlockPolicy: draft.unlockPolicy
        )
    }
}

extension TrustedDeviceProvider: InstallationBoundProvider {
    public func isEnrolled(
        _ installation: InstallationID,
        among records: [CredentialRecord]
    ) throws(ProviderFault) -> Bool {
        for record in records where try TrustedDevice(record).installationID == installation.text { return true }
        return false
    }
}

extension TrustedDevice {
    fileprivate func givesWay(to draft: DeviceDraft) -> Bool {
        deviceID == draft.deviceID
            || installationID != nil && installationID == draft.installationID && appID == draft.appID
    }
}

extension DeviceDraft {
    /// - Parameter device: The one that gets another key.
    fileprivate init(
        _ request: DeviceRequest,
        deviceID: String,
        rotating device: TrustedDevice? = nil
    ) throws(SignInError) {
        do throws(DeviceKey.Fault) {
            key = try request.publicKeyJwk.map { (key) throws(DeviceKey.Fault) in try key.checked() }
        } catch {
            switch error {
            case .malformed: throw .refused(Refusal(.malformedCredential, "the key is no P-256 public key"))
            case .unsupported: throw .refused(Refusal(.unsupportedAlgorithm, "only ES256 keys are taken"))
            }
        }
        self.deviceID = deviceID
        name = request.name ?? device?.name
        platform = request.platform
        appID = request.appId
        installationID = request.installationId ?? device?.installationID
        unlockPolicy = request.unlockPolicy
        isRotation = device != nil
    }
}
