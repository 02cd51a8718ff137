import Crypto
import Wire

/// What tells one installation of an app from all others, made up by the app.
public struct InstallationID: Equatable, Sendable {
    public let text: String

    /// - Returns: `nil` unless `text` is 22 to 128 base64url characters: it has to be as hard to guess as an ID of ours.
    public init?(untrusted text: String) {
        guard (22...128).contains(text.utf8.count), Base64URL(text) != nil else { return nil }
        self.text = text
    }

    /// SHA-256 of it, for what is only to be found again.
    public var digest: [UInt8] { SHA256.hash(Array(text.utf8)) }
}

/// A provider whose credentials belong to one installation of an app.
public protocol InstallationBoundProvider: EnrollingProvider {
    /// - Parameter records: Credentials of one account, of this kind.
    func isEnrolled(_ installation: InstallationID, among records: [CredentialRecord]) throws(ProviderFault) -> Bool
}
