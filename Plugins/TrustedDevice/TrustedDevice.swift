import Crypto
import FoundationEssentials
import GatehouseKit
import Wire

/// The stored form of a trusted device, in JSON.
///
/// Names stay, and new ones are optional.
struct TrustedDevice: Codable {
    /// What the device calls itself by: 128 random bits.
    let deviceID: String
    let key: DeviceKey.Coordinates
    let name: String?
    let platform: String
    let appID: String
    /// Identifies the installation, where the app says so.
    let installationID: String?
    /// When the device unlocks the key, as the app set it up: recorded, not proved.
    let unlockPolicy: String?
    /// What is proved of it; `nil` where nothing is.
    let attestation: AttestedKey?

    /// The one algorithm.
    static let algorithm = "ES256"

    init(_ draft: DeviceDraft, key: DeviceKey.Coordinates, _ attestation: AttestedKey?) {
        deviceID = draft.deviceID
        self.key = key
        name = draft.name
        platform = draft.platform
        appID = draft.appID
        installationID = draft.installationID
        unlockPolicy = draft.unlockPolicy
        self.attestation = attestation
    }

    /// One active device for each installation of an app, or for each key where the app doesn't name its installation.
    ///
    /// Across accounts: when someone else enrols on the same phone, the key of the one before is gone from it.
    var slot: [UInt8] {
        guard let installationID else { return SHA256.hash(Array("key\0".utf8) + key.x.bytes + key.y.bytes) }
        return SHA256.hash(Array("installation\0\(appID)\0\(installationID)".utf8))
    }
}

/// What is kept of an enrolment from its first call to its second.
struct DeviceDraft: Codable {
    let deviceID: String
    /// `nil` for a key that is made after the first call, as Android's keystore attests to none that is there already.
    let key: DeviceKey.Coordinates?
    let name: String?
    let platform: String
    let appID: String
    let installationID: String?
    let unlockPolicy: String?
    /// Whether the key takes the place of the one that the device has.
    let isRotation: Bool
}

/// How records and memos are written.
enum DeviceCoding {
    static func encode(_ value: some Encodable) throws(ProviderFault) -> [UInt8] {
        do {
            return [UInt8](try JSONEncoder().encode(value))
        } catch { throw ProviderFault("encode trusted device", code: 0) }
    }

    /// - Throws: ``ProviderFault`` if it isn't what we stored: damage of ours, and nothing to refuse anyone for.
    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws(ProviderFault) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch { throw ProviderFault("decode trusted device", code: 0) }
    }
}
