import FoundationEssentials
import GatehouseKit
import Wire

/// The stored form of a trusted device, in JSON.
///
/// Names stay, and new ones are optional. The memo of an enrolment is one too.
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

    /// The one algorithm.
    static let algorithm = "ES256"

    func encoded() throws(ProviderFault) -> [UInt8] {
        do {
            return [UInt8](try JSONEncoder().encode(self))
        } catch { throw ProviderFault("encode trusted device", code: 0) }
    }

    /// - Throws: ``ProviderFault`` if it isn't what we stored: damage of ours, and nothing to refuse anyone for.
    static func decode(_ bytes: [UInt8]) throws(ProviderFault) -> TrustedDevice {
        do {
            return try JSONDecoder().decode(TrustedDevice.self, from: Data(bytes))
        } catch { throw ProviderFault("decode trusted device", code: 0) }
    }
}
