import FoundationEssentials
import GatehouseCore
import GatehouseKit
import Wire

/// Answers requests to one address of the portal: the API, the pages and the well-known documents.
struct PublicResponder: HTTPResponder {
    /// In bytes.
    static let bodyLimit = 65_536

    private let settings: FrontSettings
    private let services: Services
    private let requestGuard: RequestGuard
    private let addresses: AddressThrottle
    private let metrics: Metrics
    private let portal: Portal
    let table: RouteTable

    /// - Parameter addresses: Of visitors, at whichever address of ours they make their attempts.
    init(
        settings: FrontSettings,
        services: Services,
        access: AccessCheck,
        documents: WellKnownDocuments,
        metrics: Metrics,
        addresses: AddressThrottle
    ) {
        self.settings = settings
        self.services = services
        self.metrics = metrics
        requestGuard = RequestGuard(settings: settings)
        self.addresses = addresses
        portal = Portal(settings: settings, registry: services.registry)
        let groups: [[Route]] = [
            SignInHandlers(settings: settings).routes,
            EnrollmentHandlers(settings: settings, registry: services.registry).routes,
            SessionHandlers(settings: settings).routes,
            TokenHandlers().routes,
            CredentialHandlers(registry: services.registry).routes,
            LinkHandlers(settings: settings).routes,
            AccessHandlers(access: access).routes,
            NotificationHandlers(registry: services.registry).routes,
            documents.routes(at: settings.publicOrigin),
            HealthHandlers(storage: services.storage).routes,
            portal.routes,
            FormSignInHandlers(
                settings: settings,
                portal: portal,
                lane: services.registry[.password]?.lane ?? .compute
            ).routes,
            RedirectHandlers.routes(settings, portal, services.registry, metrics),
            OpenAPIDocument.routes,
        ]
        table = RouteTable(groups.flatMap(\.self))
    }

    func bodyPolicy(for head: HTTPRequest) -> BodyPolicy { .upTo(Self.bodyLimit) }

    func refuse(_ problem: ServerRefusal, requestID: String) -> HTTPResponse {
        protected(Problem(problem, requestID: requestID).response)
    }

    func respond(to request: HTTPRequest) -> HTTPReply {
        if let preflight = requestGuard.preflight(request) { return .now(protected(preflight)) }
        let path = request.target.prefix { $0 != "?" }
        switch table.find(request.method, path) {
        case .notFound: return .now(notFound(request))
        case .methodNotAllowed(let allowed):
            var response = refusal(Refusal(.methodNotAllowed, "another method"), request)
            response.headers.append(("Allow", allowed.map(\.name).sorted().joined(separator: ", ")))
            return .now(response)
        case .route(.immediate(let answer), _): return .now(protected(answer(request)))
        case .route(.job(let job), let parameters): return run(job, request, parameters)
        }
    }

    private func run(_ job: Route.Job, _ request: HTTPRequest, _ parameters: [String]) -> HTTPReply {
        let call: APICall
        do throws(Refusal) {
            call = try accepted(request, job, parameters)
        } catch {
            return .now(refusal(error, request, job))
        }
        let lane = services.lanes[job.lane(call)]
        return .later { resume in
            let overload = Refusal(.overloaded, "too much to do", remedy: .retryAfter(1))
            let isAccepted = lane.submit { isLate in
                resume(isLate ? refusal(overload, request, job) : answer(call, job))
            }
            if !isAccepted { resume(refusal(overload, request, job)) }
        }
    }

    /// Everything that is checked before a handler sees a request, cheapest first.
    private func accepted(
        _ request: HTTPRequest,
        _ job: Route.Job,
        _ parameters: [String]
    ) throws(Refusal) -> APICall {
        if request.method != .get, request.method != .head, job.content != .foreignForm {
            if job.content == .form, request.header("Origin") == .absent {
                throw Refusal(.crossSiteRequest, "a form comes with its origin")
            }
            try requestGuard.checkSite(request)
        }
        let origin = origin(of: request)
        if job.isThrottled { try addresses.take(origin.throttleKey, now: services.clock.now) }
        return APICall(
            request: request,
            parameters: parameters,
            origin: origin,
            carried: CarriedTokens(request, cookie: settings.cookie),
            json: job.content == .json ? try Self.json(request) : try Self.form(request),
            services: services
        )
    }

    private static func json(_ request: HTTPRequest) throws(Refusal) -> Data {
        guard !request.body.isEmpty else { return Data("{}".utf8) }
        guard RequestGuard.isJSON(request) else {
            throw Refusal(.unsupportedMediaType, "the body is not application/json")
        }
        do throws(WireFault) {
            try StrictJSON.check(request.body)
        } catch {
            throw Refusal(.malformedJSON, "the body is not one strict JSON value")
        }
        return Data(request.body)
    }

    private static func form(_ request: HTTPRequest) throws(Refusal) -> Data {
        guard RequestGuard.isForm(request) else { throw Refusal(.unsupportedMediaType, "the body is no form") }
        return Data(request.body)
    }

    private func origin(of request: HTTPRequest) -> RequestOrigin {
        let client = settings.trustedProxies.client(of: request)
        let userAgent: String? = if case .one(let value) = request.header("User-Agent") { value } else { nil }
        return RequestOrigin(
            userAgent: userAgent,
            address: client?.description,
            client: .browser,
            isBrowser: RequestGuard.isFromBrowser(request),
            servesApps: settings.servesApps,
            realm: settings.cookie.realm,
            throttleKey: client.map { $0.throttleKey.description } ?? "unknown",
            requestID: request.requestID
        )
    }

    private func answer(_ call: APICall, _ job: Route.Job) -> HTTPResponse {
        do throws(SignInError) {
            var response = try job.run(call)
            response.headers += requestGuard.corsHeaders(for: call.request)
            return protected(response)
        } catch {
            if case .unavailable(let fault) = error {
                services.log(.error, "request failed", ["fault": fault, "request": RequestID(call.request)])
            }
            var response = rendered(error, call.request, job)
            if case .refused(let refusal) = error, refusal.code == .sessionRequired, call.carriesCookie(settings.cookie)
            {
                response.headers.append(settings.cookie.clearing)
            }
            response.headers += requestGuard.corsHeaders(for: call.request)
            metrics.count(error)
            return protected(response)
        }
    }

    private func notFound(_ request: HTTPRequest) -> HTTPResponse {
        portal.notFound(request).map(protected) ?? refusal(Refusal(.notFound, "no such path"), request)
    }

    private func rendered(_ error: SignInError, _ request: HTTPRequest, _ job: Route.Job?) -> HTTPResponse {
        job?.refusal?(error, request) ?? Problem(error, requestID: request.requestID).response
    }

    private func refusal(_ refusal: Refusal, _ request: HTTPRequest, _ job: Route.Job? = nil) -> HTTPResponse {
        metrics.count(.refused(refusal))
        var response = rendered(.refused(refusal), request, job)
        response.headers += requestGuard.corsHeaders(for: request)
        return protected(response)
    }

    /// Headers that stand on every answer.
    private func protected(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers += [
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-site"),
        ]
        if settings.publicOrigin.scheme == .https {
            response.headers.append(("Strict-Transport-Security", "max-age=31536000"))
        }
        return response
    }
}

extension APICall {
    fileprivate func carriesCookie(_ cookie: SessionCookie) -> Bool {
        guard case .one(let header) = request.header("Cookie") else { return false }
        return CookieHeader(header)[cookie.name] != .absent
    }
}

extension Problem {
    /// What the server found before any handler saw the request.
    init(_ refusal: ServerRefusal, requestID: String) {
        switch refusal {
        case .badRequest, .timeout: self.init(ProblemCode.malformedRequest, requestID: requestID)
        case .bodyTooLarge: self.init(ProblemCode.bodyTooLarge, requestID: requestID)
        case .headersTooLarge: self.init(ProblemCode.headersTooLarge, requestID: requestID)
        case .tooManyConnections: self.init(ProblemCode.overloaded, requestID: requestID, remedy: .retryAfter(1))
        }
    }
}

/// A request ID in a log line; it is ours, so it may stand there.
struct RequestID: Loggable {
    let logText: String
    init(_ request: HTTPRequest) { logText = request.requestID }
}
