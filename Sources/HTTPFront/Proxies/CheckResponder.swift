public import GatehouseCore
import GatehouseKit
import Synchronization
import Wire

/// Answers the check listener, which reverse proxies ask whether a request may pass.
///
/// The default answer of every path through this code is no.
public struct CheckResponder: HTTPResponder {
    private let settings: FrontSettings
    private let services: Services
    private let check: AccessCheck
    private let metrics: Metrics
    private let signInURL: String
    private let notices = NoticeLimit()
    private static let dialects: [any ProxyDialect.Type] = [
        NginxDialect.self, ForwardDialect.self, EnvoyDialect.self, HAProxyDialect.self, ApacheDialect.self,
    ]

    public init(settings: FrontSettings, services: Services, check: AccessCheck, metrics: Metrics) {
        self.settings = settings
        self.services = services
        self.check = check
        self.metrics = metrics
        signInURL = "\(settings.publicOrigin)/sign-in"
    }

    /// A proxy may announce the body of the request it asks about, and sends none.
    public func bodyPolicy(for head: HTTPRequest) -> BodyPolicy { .ignored }

    public func refuse(_ problem: ServerRefusal, requestID: String) -> HTTPResponse {
        problem == .tooManyConnections
            ? Problem(.overloaded, requestID: requestID, remedy: .retryAfter(1)).response
            : HTTPResponse(problem.status, headers: [CheckReply.noStore])
    }

    public func respond(to request: HTTPRequest) -> HTTPReply {
        guard let dialect = Self.dialects.first(where: { $0.isAsked(by: request.target) }) else {
            return .now(HTTPResponse(404, headers: [CheckReply.noStore]))
        }
        return respond(to: request, as: dialect)
    }

    private func respond(to request: HTTPRequest, as dialect: any ProxyDialect.Type) -> HTTPReply {
        guard settings.trustedProxies.contains(request.peer) else {
            return .now(malformed("check refused: the peer is not in access.trusted_proxies", "peer", dialect))
        }
        let target: OriginalRequest
        do throws(UnreadableHeader) {
            target = try dialect.target(of: request)
                .coming(from: check.rules.needAddress ? settings.trustedProxies.visitor(of: request) : nil)
        } catch {
            return .now(malformed("check refused: a header can't be read", error.name, dialect))
        }
        let tokens = CarriedTokens(request, cookie: settings.cookie).candidates
        guard let first = tokens.first else { return .now(answer(request, target, session: nil, dialect)) }
        if let cached = services.sessions.cached(first) {
            return .now(answer(request, target, session: cached, dialect))
        }
        return .later { resume in
            let isAccepted = services.lanes.sessionReads.submit { isLate in
                resume(isLate ? unavailable() : answer(request, target, tokens, dialect))
            }
            if !isAccepted { resume(unavailable()) }
        }
    }

    /// Says why in the log, at most once a second: it may come with every request.
    private func malformed(
        _ event: StaticString,
        _ header: StaticString,
        _ dialect: any ProxyDialect.Type
    ) -> HTTPResponse {
        metrics.count(check: .malformed)
        if notices.isDue(at: services.clock.now) { services.log(.notice, event, ["header": header]) }
        return HTTPResponse(dialect.malformedStatus, headers: [CheckReply.noStore])
    }

    /// Reads the session first; on a worker lane.
    private func answer(
        _ request: HTTPRequest,
        _ target: OriginalRequest,
        _ tokens: [SessionToken],
        _ dialect: any ProxyDialect.Type
    ) -> HTTPResponse {
        do throws(ProviderFault) {
            for token in tokens {
                if let session = try services.sessions.find(token) {
                    return answer(request, target, session: session, dialect)
                }
            }
            return answer(request, target, session: nil, dialect)
        } catch {
            services.log(.error, "check failed", ["fault": error])
            return unavailable()
        }
    }

    private func unavailable() -> HTTPResponse {
        metrics.count(check: .unavailable)
        return HTTPResponse(503, headers: [CheckReply.noStore, ("Retry-After", "1")])
    }

    private func answer(
        _ request: HTTPRequest,
        _ target: OriginalRequest,
        session: CachedSession?,
        _ dialect: any ProxyDialect.Type
    ) -> HTTPResponse {
        let now = services.clock.now
        // Where apps aren't served, their sessions are none.
        let session = settings.servesApps || session?.session.client != .native ? session : nil
        switch check.verdict(on: target, session: session, now: now) {
        case .allow: return allowed(request, session, now)
        case .forbid:
            metrics.count(check: .forbidden)
            return HTTPResponse(403, headers: [CheckReply.noStore])
        case .signIn:
            metrics.count(check: .signIn)
            return interaction(request, target, nil, dialect)
        case .stepUp(let wanted):
            metrics.count(check: .stepUp)
            return interaction(request, target, wanted, dialect)
        }
    }

    private func allowed(_ request: HTTPRequest, _ session: CachedSession?, _ now: Timestamp) -> HTTPResponse {
        metrics.count(check: .allowed)
        let known = session.flatMap { check.identifies($0, now: now) ? $0 : nil }
        if let known { services.sessions.noteUse(of: known, at: now) }
        return HTTPResponse(200, headers: CheckReply.identity(of: known) + withoutOurs(request))
    }

    /// What the request carried, without our secrets, for the proxy to put in its place.
    private func withoutOurs(_ request: HTTPRequest) -> [(String, String)] {
        var headers: [(String, String)] = []
        if case .one(let cookies) = request.header("Cookie") {
            headers.append(("Cookie", CookieHeader(cookies).removing(settings.cookie.name)))
        } else {
            headers.append(("Cookie", ""))
        }
        guard case .one(let authorization) = request.header("Authorization") else { return headers }
        let isOurs =
            authorization.lowercased().hasPrefix("bearer ")
            && SessionToken(untrusted: String(authorization.dropFirst(7))) != nil
        headers.append(("Authorization", isOurs ? "" : authorization))
        return headers
    }

    /// Sends a browser to the portal, and tells everything else what is missing (RFC 9470 §3).
    private func interaction(
        _ request: HTTPRequest,
        _ target: OriginalRequest,
        _ wanted: StepUp?,
        _ dialect: any ProxyDialect.Type
    ) -> HTTPResponse {
        var headers = [CheckReply.noStore, ("WWW-Authenticate", CheckReply.challenge(wanted))]
        guard CheckReply.isNavigation(request) else { return HTTPResponse(401, headers: headers) }
        headers.append(("Location", signInURL + CheckReply.query(returningTo: target.url, wanted)))
        return HTTPResponse(dialect.redirectStatus(for: target.method), headers: headers)
    }
}

/// Lets one log line a second through.
private final class NoticeLimit: Sendable {
    private let next = Atomic<Int64>(0)

    func isDue(at now: Timestamp) -> Bool {
        let due = next.load(ordering: .relaxed)
        guard now.milliseconds >= due else { return false }
        return next.compareExchange(expected: due, desired: now.milliseconds + 1_000, ordering: .relaxed).exchanged
    }
}
