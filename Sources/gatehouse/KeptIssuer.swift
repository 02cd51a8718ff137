import GatehouseKit
import OpenIDConnectProvider
import WebClient

/// An issuer of ID tokens that is switched on, with its keys, which somebody has to keep.
struct KeptIssuer: Sendable {
    let issuer: TokenIssuer
    let keys: KeySetKeeper
    let apple: AppleTokens?
    let page: AppleWeb?

    /// Seconds for one call, which sign-ins may wait for.
    private static let fetchTimeout = 5
    /// In bytes, of an answer with tokens.
    private static let answerSize = 65_536

    init(_ settings: IssuerSettings, _ configuration: Configuration, clock: any Clock, log: Log) {
        let client = configuration.client
        issuer = settings.issuer
        apple = settings.apple.map { Self.apple($0, client, clock: clock, log: log) }
        page = settings.web.map {
            AppleWeb(clientID: $0.clientID, page: $0.page)
        }
        keys = KeySetKeeper(settings.keys, clock: clock, log: log) { (url) throws(WebClientFault) in
            try client.get(url, limit: TokenKeySet.maximumSize, timeout: Self.fetchTimeout)
        }
    }

    private static func apple(
        _ settings: AppleKeySettings,
        _ client: WebClient,
        clock: any Clock,
        log: Log
    ) -> AppleTokens {
        AppleTokens(
            settings.secret,
            endpoints: settings.endpoints,
            box: settings.box,
            clock: clock,
            log: log
        ) { (form, url) throws(WebClientFault) in
            try client.post(form, to: url, limit: answerSize, timeout: fetchTimeout)
        }
    }

    /// Keeps the keys fresh; for a thread of its own.
    func run() { keys.run() }

    func stop() { keys.stop() }
}
