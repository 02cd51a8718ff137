import FoundationEssentials
import GatehouseKit
import Wire

/// What a device signs: everything that the signature is to be good for, and nothing that a client could choose.
///
/// The client gets it as an opaque string. It is made again, and never taken back from the client, when the signature is
/// checked, so that one made for another purpose, account, device, ceremony or gateway can't be good.
struct DeviceStatement: Encodable {
    let purpose: Purpose
    let ceremonyId: String
    let challenge: Base64URL
    let deviceId: String
    let accountId: String
    /// The public origin of this gateway.
    let audience: String
    let expiresAt: Timestamp
    /// The key that is enrolled, by its thumbprint (RFC 7638), if it is there yet.
    let keyThumbprint: Base64URL?
    /// When the device unlocks that key, as the app says.
    let unlockPolicy: String?

    enum Purpose: String, Encodable {
        case enrollment = "trusted-device-enrollment"
        case rotation = "trusted-device-rotation"
        case signIn = "trusted-device-sign-in"
    }

    init(
        _ purpose: Purpose,
        device: String,
        account: String,
        audience: WebOrigin,
        ceremony: borrowing Ceremony,
        key: DeviceKey.Coordinates? = nil,
        unlockPolicy: String? = nil
    ) {
        self.purpose = purpose
        ceremonyId = ceremony.id.text
        challenge = Base64URL(bytes: ceremony.challenge.bytes)
        deviceId = device
        accountId = account
        self.audience = audience.description
        expiresAt = ceremony.expiresAt
        keyThumbprint = key?.thumbprint
        self.unlockPolicy = unlockPolicy
    }

    /// JSON with its members in alphabetical order: the same statement is the same text.
    func text() throws(ProviderFault) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        } catch { throw ProviderFault("encode device statement", code: 0) }
    }
}
