import GatehouseCore
import GatehouseKit

/// Where issuers tell what became of credentials.
struct NotificationHandlers: Sendable {
    let registry: ProviderRegistry

    var routes: [Route] {
        registry.kinds.compactMap { registry[$0] as? any NotifiedProvider }.compactMap { Self.route(to: $0) }
    }

    private static func route<P: NotifiedProvider>(to provider: P) -> Route? {
        guard let path = provider.notificationPath else { return nil }
        let lane = provider.lane
        return Route(
            method: .post,
            path: path,
            action: .job(
                Route.Job(isThrottled: true, lane: { _ in lane }) { (call) throws(SignInError) in
                    let notification = try call.decode(P.Notification.self)
                    try call.services.notices.take(notification, for: provider, from: call.origin)
                    return JSONReply.ok([String: String]())
                }
            )
        )
    }
}
