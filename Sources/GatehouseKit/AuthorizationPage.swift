/// A provider whose issuer signs people in on a page of its own, and has their browsers post the answer back (OAuth 2.0 Form
/// Post Response Mode).
public protocol RedirectingProvider: CredentialProvider {
    /// `nil` if it sends nobody there.
    var authorizationPage: (any AuthorizationPage)? { get }
}

/// An issuer's page for one client of it.
public protocol AuthorizationPage: Sendable {
    /// Under this the gateway's two routes stand, `authorize` and `callback`; without a slash at its end.
    var path: String { get }

    /// The address for somebody who is to answer a ceremony.
    ///
    /// - Parameters:
    ///   - state: What the answer has to bring back; printable ASCII.
    ///   - callback: The URL that the issuer's page posts the answer to.
    func url(for ceremony: borrowing Ceremony, state: String, callback: String) -> String
}
