public import GatehouseKit
import Wire

/// Apple's page, for a website (Apple, "Request an authorization to the Sign in with Apple server").
public struct AppleWeb: AuthorizationPage {
    public let path = "/apple"
    private let clientID: String
    private let page: String

    /// - Parameters:
    ///   - clientID: The service identifier of the website.
    ///   - page: An https URL without a query.
    public init(clientID: String, page: String) {
        self.clientID = clientID
        self.page = page
    }

    /// Apple has to know the callback.
    ///
    /// It posts the answer wherever a name or address is asked for, and never puts it into a query.
    public func url(for ceremony: borrowing Ceremony, state: String, callback: String) -> String {
        let fields = [
            ("client_id", clientID), ("redirect_uri", callback), ("response_type", "code id_token"),
            ("response_mode", "form_post"), ("scope", "name email"), ("state", state),
            ("nonce", TokenNonce(ceremony).text),
        ]
        return "\(page)?" + fields.map { "\($0)=\(PercentEncoding.component($1))" }.joined(separator: "&")
    }
}
