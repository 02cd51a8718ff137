import GatehouseKit
import OpenIDConnectProvider
import WebClient

/// An issuer of ID tokens that is switched on, with its keys, which somebody has to keep.
struct KeptIssuer: Sendable {
    let issuer: TokenIssuer
    let keys: KeySetKeeper

    /// Seconds for one fetch of an issuer's keys, which sign-ins may wait for.
    private static let fetchTimeout = 5

    init(_ settings: IssuerSettings, _ configuration: Configuration, clock: any Clock, log: Log) {
        let client = configuration.client
        issuer = settings.issuer
        keys = KeySetKeeper(settings.keys, clock: clock, log: log) { (url) throws(WebClientFault) in
            try client.get(url, limit: TokenKeySet.maximumSize, timeout: Self.fetchTimeout)
        }
    }

    /// Keeps the keys fresh; for a thread of its own.
    func run() { keys.run() }

    func stop() { keys.stop() }
}
