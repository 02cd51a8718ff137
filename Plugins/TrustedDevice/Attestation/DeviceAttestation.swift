import GatehouseKit
import Wire

/// What an app sends beside the signature, to show what keeps its key or that it is genuine.
enum DeviceAttestation: Decodable, Sendable {
    /// The certificates that Android's keystore made for the key, the key's own first.
    case androidKey([[UInt8]])
    /// What App Attest made for the app.
    case appAttest([UInt8])
    /// Something else.
    case unknown

    private enum CodingKeys: String, CodingKey { case format, x5c, object }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        switch try values.decode(String.self, forKey: .format) {
        case AttestedKey.Format.androidKey.rawValue:
            self = .androidKey(try values.decode([Base64URL].self, forKey: .x5c).map(\.bytes))
        case AttestedKey.Format.appAttest.rawValue:
            self = .appAttest(try values.decode(Base64URL.self, forKey: .object).bytes)
        default: self = .unknown
        }
    }
}

/// What an attestation showed, as it is stored with the device.
struct AttestedKey: Codable, Equatable {
    let format: Format
    /// How the user is asked, if that is known.
    let unlock: UnlockPolicy?

    enum Format: String, Codable {
        /// The hardware vouches for the key, and for what it asks of the user.
        case androidKey = "android-key"
        /// Apple vouches for the app, and the app for the key and for what it asks of the user.
        case appAttest = "apple-appattest"
    }
}

extension SignInError {
    /// A statement that is not one of its format, or not of this enrolment.
    static func unsound(_ reason: Refusal.Reason) -> SignInError { .refused(Refusal(.attestationInvalid, reason)) }

    /// A sound statement that says too little, or that nobody trusted stands behind.
    static func untrusted(_ reason: Refusal.Reason) -> SignInError { .refused(Refusal(.attestationUntrusted, reason)) }
}
