public import GatehouseCore
import GatehouseKit
import Synchronization
import Wire

/// Answers the check listener, which reverse proxies ask whether a request may pass.
///
/// The default answer of every path through this code is no.
public struct CheckResponder: HTTPResponder {
    let settings: FrontSettings
    let services: Services
    let check: AccessCheck
    let metrics: Metrics
    private let identities: IdentitySigner?
    private let notices = NoticeLimit()
    private static let dialects: [any ProxyDialect.Type] = [
        NginxDialect.self, ForwardDialect.self, EnvoyDialect.self, HAProxyDialect.self, ApacheDialect.self,
    ]

    /// - Parameter identities: `nil` where applications get no `Remote-Token`.
    public init(
        settings: FrontSettings,
        services: Services,
        check: AccessCheck,
        metrics: Metrics,
        identities: IdentitySigner? = nil
    ) {
        self.settings = settings
        self.services = services
        self.check = check
        self.metrics = metrics
        self.identities = identities
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
        let target: AccessQuestion
        do throws(UnreadableHeader) {
            target = check.question(try dialect.target(of: request)) { settings.trustedProxies.visitor(of: request) }
        } catch {
            return .now(malformed("check refused: a header can't be read", error.name, dialect))
        }
        let carried = CarriedTokens(request, cookie: settings.portals.serving(target.request.host).cookie)
        if let first = carried.candidates.first, let cached = services.sessions.cached(first),
            check.identifies(cached, now: services.clock.now)
        {
            return .now(answer(request, target, session: cached, dialect))
        }
        let machine =
            carried.isAmbiguous ? nil : MachineCredential(in: request, taking: target.machines)
        if let machine, carried.candidates.isEmpty, let cached = services.machines.cached(machine) {
            return .now(answer(request, target, machine: cached, dialect))
        }
        guard machine != nil || !carried.candidates.isEmpty else {
            return .now(answer(request, target, session: nil, dialect))
        }
        return .later { resume in
            let isAccepted = services.lanes.sessionReads.submit { isLate in
                guard !isLate else { return resume(unavailable()) }
                answer(request, target, carried.candidates, machine, dialect, then: resume)
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

    /// Reads the session first, and what a machine sent only where there is none; on a worker lane.
    private func answer(
        _ request: HTTPRequest,
        _ target: AccessQuestion,
        _ tokens: [SessionToken],
        _ machine: MachineCredential?,
        _ dialect: any ProxyDialect.Type,
        then resume: @escaping @Sendable (HTTPResponse) -> Void
    ) {
        let address = settings.trustedProxies.client(of: request)?.description
        do throws(ProviderFault) {
            for token in tokens {
                guard let session = try services.sessions.find(token, from: address) else { continue }
                // One that is over is none, so that what a machine sent beside it counts.
                guard machine == nil || check.identifies(session, now: services.clock.now) else { continue }
                return resume(answer(request, target, session: session, dialect))
            }
        } catch { return resume(unavailable(because: error)) }
        guard let machine else { return resume(answer(request, target, session: nil, dialect)) }
        services.machines.identify(machine, from: RequestOrigin(request, settings)) { finding in
            resume(answer(request, target, finding, dialect))
        }
    }

    func unavailable() -> HTTPResponse {
        metrics.count(check: .unavailable)
        return HTTPResponse(503, headers: [CheckReply.noStore, ("Retry-After", "1")])
    }

    func unavailable(because fault: ProviderFault) -> HTTPResponse {
        services.log(.error, "check failed", ["fault": fault])
        return unavailable()
    }

    func answer(
        _ request: HTTPRequest,
        _ target: AccessQuestion,
        session: CachedSession?,
        _ dialect: any ProxyDialect.Type
    ) -> HTTPResponse {
        let now = services.clock.now
        // Where apps aren't served, their sessions are none.
        let session = settings.servesApps || session?.session.client != .native ? session : nil
        let known = session.flatMap { check.identifies($0, now: now) ? Caller.session($0) : nil }
        return answer(request, target, check.verdict(on: target, session: session, now: now), known, now, dialect)
    }

    func answer(
        _ request: HTTPRequest,
        _ target: AccessQuestion,
        _ verdict: Verdict,
        _ caller: Caller?,
        _ now: Timestamp,
        _ dialect: any ProxyDialect.Type
    ) -> HTTPResponse {
        switch verdict {
        case .allow: return allowed(request, target, caller, now)
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

    private func allowed(
        _ request: HTTPRequest,
        _ target: AccessQuestion,
        _ caller: Caller?,
        _ now: Timestamp
    ) -> HTTPResponse {
        let token: String
        do throws(ProviderFault) {
            token =
                try caller.flatMap { (caller) throws(ProviderFault) in
                    try identities?.token(for: caller, at: target.request.host, now: now)
                } ?? ""
        } catch { return unavailable(because: error) }
        metrics.count(check: .allowed)
        switch caller {
        case nil: break
        case .session(let session): services.sessions.noteUse(of: session, at: now)
        case .machine(let machine): services.machines.tokens.noteUse(of: machine, at: now)
        }
        let visible = visibleCredentials(of: request, target, caller)
        return HTTPResponse(200, headers: CheckReply.yes(to: caller, token: token, visible))
    }

    /// Sends a browser to the portal, and tells everything else what is missing (RFC 9470 §3).
    private func interaction(
        _ request: HTTPRequest,
        _ target: AccessQuestion,
        _ wanted: StepUp?,
        _ dialect: any ProxyDialect.Type
    ) -> HTTPResponse {
        let portal = settings.portals.serving(target.request.host)
        var headers = [CheckReply.noStore, ("WWW-Authenticate", CheckReply.challenge(wanted))]
        guard CheckReply.isNavigation(request) else {
            if target.machines.contains(.basic) {
                headers.append(("WWW-Authenticate", CheckReply.basicChallenge(portal.origin)))
            }
            return HTTPResponse(401, headers: headers)
        }
        headers.append(("Location", portal.signInURL + CheckReply.query(returningTo: target.request.url, wanted)))
        return HTTPResponse(dialect.redirectStatus(for: target.request.method), headers: headers)
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
