import OpenIDConnectProvider
import Wire

/// How browsers are sent to Apple.
struct AppleWebSettings {
    let clientID: String
    /// An https URL without a query.
    let page: String

    /// - Parameters:
    ///   - section: That of the provider.
    ///   - clientIDs: Those whose tokens are taken.
    /// - Returns: `nil` where no service identifier is configured.
    static func read(_ section: ConfigurationSection, clientIDs: [String]) -> AppleWebSettings? {
        let page = section.value("authorize_url", "an https URL without a query", bare)
        let clientID = section.value("web_client_id", "one of client_ids") { id in
            clientIDs.first { $0.utf8.elementsEqual(id.utf8) }
        }
        return clientID.map { AppleWebSettings(clientID: $0, page: page ?? "\(TokenIssuer.apple)/auth/authorize") }
    }

    private static func bare(_ text: String) -> String? { text.contains("?") ? nil : IssuerSettings.fetchable(text) }
}
