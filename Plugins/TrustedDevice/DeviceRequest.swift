import GatehouseKit

/// What an app says about the device that it enrols.
public struct DeviceRequest: Decodable, Sendable {
    /// As its owner calls it: 1 to 64 characters.
    let name: String?
    /// `ios`, `android`: 1 to 32 lower-case letters, digits and hyphens.
    let platform: String
    /// The bundle identifier or package name: 1 to 255 printable ASCII characters.
    let appId: String
    /// Absent for a key that is made afterwards, with the statement's digest as the challenge of its attestation.
    let publicKeyJwk: DeviceKey?
    /// A token like the platform: `biometry_current_set`, with underscores allowed.
    let unlockPolicy: String?
    /// Tells one installation of the app from all others: 22 to 128 base64url characters, at random and kept to itself.
    ///
    /// Enrolling again with the same one replaces the device that was enrolled before, whoever it belonged to. It has to
    /// be as hard to guess as a device ID, for whoever knows it can do that.
    let installationId: String?
    /// The device ID of a device whose key is to be replaced by this one.
    let rotates: String?

    /// - Throws: ``SignInError/refused(_:)`` with `invalid_value` for one that a record can't have.
    func check() throws(SignInError) {
        guard name.map(Self.isName) ?? true else {
            throw .refused(Refusal(.invalidValue, "a name has 1 to 64 characters and no control characters"))
        }
        guard Self.isToken(platform), unlockPolicy.map(Self.isToken) ?? true else {
            throw .refused(Refusal(.invalidValue, "a platform or unlock policy is a short word"))
        }
        guard (1...255).contains(appId.utf8.count), appId.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .refused(Refusal(.invalidValue, "an app identifier has 1 to 255 printable characters"))
        }
        guard installationId.map({ InstallationID(untrusted: $0) != nil }) ?? true else {
            throw .refused(Refusal(.invalidValue, "an installation ID has 22 to 128 base64url characters"))
        }
    }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.count) && text.utf8.count <= 256
            && text.unicodeScalars.allSatisfy {
                switch $0.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator, .unassigned: false
                default: true
                }
            }
    }

    private static func isToken(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
