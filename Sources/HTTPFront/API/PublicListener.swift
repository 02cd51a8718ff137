public import GatehouseCore
import Wire

/// Answers the public listener: each address of the portal with a responder of its own, so that nothing of one gets into
/// an answer of another.
public struct PublicListener: HTTPResponder {
    private let main: PublicResponder
    private let others: [String: PublicResponder]

    /// - Parameter settings: Those of the main address.
    public init(
        settings: FrontSettings,
        services: Services,
        access: AccessCheck,
        documents: WellKnownDocuments,
        metrics: Metrics
    ) {
        let addresses = AddressThrottle(perMinute: settings.attemptsPerMinute)
        func responder(_ settings: FrontSettings) -> PublicResponder {
            PublicResponder(
                settings: settings,
                services: services,
                access: access,
                documents: documents,
                metrics: metrics,
                addresses: addresses
            )
        }
        main = responder(settings)
        others = Dictionary(
            uniqueKeysWithValues: settings.portals.others.map { ($0.origin.host, responder(settings.at($0))) }
        )
    }

    public func bodyPolicy(for head: HTTPRequest) -> BodyPolicy { main.bodyPolicy(for: head) }

    public func refuse(_ problem: ServerRefusal, requestID: String) -> HTTPResponse {
        main.refuse(problem, requestID: requestID)
    }

    public func respond(to request: HTTPRequest) -> HTTPReply { responder(for: request).respond(to: request) }

    /// The one for the address that `Host` names; the main one for a host that isn't configured.
    ///
    /// The port doesn't matter: proxies may leave it out, and no two addresses share a host.
    private func responder(for request: HTTPRequest) -> PublicResponder {
        guard !others.isEmpty, case .one(let authority) = request.header("Host"),
            let host = WebURL.authority(authority)?.host
        else { return main }
        return others[host] ?? main
    }
}
