/// A provider whose issuer tells the gateway what became of credentials: Apple's server-to-server notifications.
public protocol NotifiedProvider: CredentialProvider {
    /// The body of the request.
    associatedtype Notification: Decodable & Sendable

    /// Where the issuer sends them; `nil` if it sends none.
    var notificationPath: String? { get }

    /// Checks that it is the issuer who says so, and finds out what it is about; runs on ``CredentialProvider/lane``.
    ///
    /// - Returns: `nil` for what is about no credential of ours, older than the credential, or heard before.
    func notice(_ notification: Notification) throws(SignInError) -> CredentialNotice?
}

/// What an issuer said of a credential.
public struct CredentialNotice: Sendable {
    public let account: AccountID
    public let credential: CredentialID
    public let event: Event
    /// With this the record remembers that it was heard.
    public let change: CredentialChange

    public init(account: AccountID, credential: CredentialID, event: Event, change: CredentialChange) {
        self.account = account
        self.credential = credential
        self.event = event
        self.change = change
    }

    public enum Event: String, Sendable {
        /// The person no longer wants the issuer to vouch for them here.
        case consentRevoked = "consent_revoked"
        /// The person has no account at the issuer any more.
        case issuerAccountDeleted = "issuer_account_deleted"
        case mailEnabled = "mail_enabled"
        case mailDisabled = "mail_disabled"

        /// Whether nothing that the credential proved counts any more.
        public var endsCredential: Bool { self == .consentRevoked || self == .issuerAccountDeleted }
    }
}
