import GatehouseCore
import GatehouseKit
import Wire

extension CheckResponder {
    func answer(
        _ request: HTTPRequest,
        _ target: AccessQuestion,
        machine: MachineCaller,
        _ dialect: any ProxyDialect.Type
    ) -> HTTPResponse {
        let now = services.clock.now
        let verdict = check.verdict(on: target, machine: machine, now: now)
        return answer(request, target, verdict, .machine(machine), now, dialect)
    }

    /// A credential that is nobody's is as good as none.
    func answer(
        _ request: HTTPRequest,
        _ target: AccessQuestion,
        _ finding: MachineService.Finding,
        _ dialect: any ProxyDialect.Type
    ) -> HTTPResponse {
        switch finding {
        case .success(let machine?): answer(request, target, machine: machine, dialect)
        case .success(nil): answer(request, target, session: nil, dialect)
        case .failure(.unavailable(let fault)): unavailable(because: fault)
        case .failure(.refused(let refusal)):
            if case .retryAfter(let seconds) = refusal.remedy {
                throttled(for: seconds, dialect)
            } else {
                answer(request, target, session: nil, dialect)
            }
        }
    }

    func visibleCredentials(of request: HTTPRequest, _ target: AccessQuestion, _ caller: Caller?) -> VisibleCredentials
    {
        let cookies = if case .one(let cookies) = request.header("Cookie") { cookies } else { "" }
        return VisibleCredentials(
            cookies: CookieHeader(cookies).removing(settings.portals.serving(target.request.host).cookie.name),
            authorization: MachineCredential.visibleAuthorization(of: request, from: caller) { target.machines }
        )
    }

    private func throttled(for seconds: Int64, _ dialect: any ProxyDialect.Type) -> HTTPResponse {
        metrics.count(check: .throttled)
        return HTTPResponse(
            dialect.throttledStatus,
            headers: [CheckReply.noStore, ("Retry-After", String(seconds))]
        )
    }
}

/// What the request carried, without our secrets.
struct VisibleCredentials {
    /// Possibly empty.
    let cookies: String
    /// `nil` if it had none.
    let authorization: String?
}

extension RequestOrigin {
    /// Where the request came from that a proxy asks about, as far as the proxy says.
    init(_ request: HTTPRequest, _ settings: FrontSettings) {
        let client = settings.trustedProxies.client(of: request)
        self.init(
            userAgent: nil,
            address: client?.description,
            client: .native,
            isBrowser: false,
            throttleKey: client.map { $0.throttleKey.description } ?? "unknown",
            requestID: request.requestID
        )
    }
}
