import FoundationEssentials
public import GatehouseCore
public import GatehouseKit
import Wire

/// One request to the API on its way through a handler, on a worker thread.
struct APICall: Sendable {
    let request: HTTPRequest
    /// What stands in the braces of the route.
    let parameters: [String]
    let origin: RequestOrigin
    let carried: CarriedTokens
    /// The body: one JSON value that passed the strict check; `{}` where none was sent.
    let json: Data
    let services: Services

    func decode<Body: Decodable>(_ type: Body.Type) throws(SignInError) -> Body {
        do {
            return try JSONDecoder().decode(type, from: json)
        } catch {
            throw .refused(Refusal(.malformedRequest, "a member of the body is missing or of the wrong type"))
        }
    }

    /// The kind of client that a body asks for: a page in a browser may not pose as an app.
    func client(named text: String?) throws(SignInError) -> ClientKind {
        guard let client = ClientKind(rawValue: text ?? ClientKind.browser.rawValue) else {
            throw .refused(Refusal(.malformedRequest, "no such client"))
        }
        if client == .native { try checkIsApp() }
        return client
    }

    /// Refuses what only apps may do to anyone else; see ``GatehouseCore/RequestOrigin/checkIsApp()``.
    func checkIsApp() throws(SignInError) {
        do throws(Refusal) { try origin.checkIsApp() } catch { throw .refused(error) }
    }

    /// The identifier in the route, if it has the form of ours.
    func id<Tag>() throws(SignInError) -> OpaqueID<Tag> {
        guard let text = parameters.first, let id = OpaqueID<Tag>(untrusted: text) else {
            throw .refused(Refusal(.notFound, "not an identifier of ours"))
        }
        return id
    }

    /// The installation of the app that a body names.
    func installation() throws(SignInError) -> InstallationID? {
        guard let text = try decode(InstallationBody.self).installationId else { return nil }
        guard let installation = InstallationID(untrusted: text) else {
            throw .refused(Refusal(.invalidValue, "an installation ID has 22 to 128 base64url characters"))
        }
        return installation
    }

    /// The session that came along; `nil` if none did, or one that is over.
    func session() throws(SignInError) -> CachedSession? {
        var found: CachedSession?
        do throws(ProviderFault) {
            for token in carried.candidates {
                guard let session = try services.sessions.current(token, from: origin.address) else { continue }
                found = session
                break
            }
        } catch { throw .unavailable(error) }
        if found?.session.client == .native, !origin.servesApps {
            throw .refused(Refusal(.nativeAPIDisabled, "apps are not served"))
        }
        return found
    }

    /// The session that came along, which may be one that can only enrol a credential.
    func anySession() throws(SignInError) -> CachedSession {
        guard let session = try session() else {
            throw .refused(Refusal(.sessionRequired, "no session came with the request"))
        }
        return session
    }

    /// The session that came along, with all its rights.
    func fullSession() throws(SignInError) -> CachedSession {
        let session = try anySession()
        guard session.session.scope == .full else {
            throw .refused(Refusal(.stepUpRequired, "the session may only enrol a credential"))
        }
        if let lack = services.sessions.shortfall(of: session) {
            throw .refused(
                Refusal(
                    .stepUpRequired,
                    "the session proved less than sign-ins have to",
                    remedy: .freshSession(kinds: [], assurance: lack, maxAge: nil)
                )
            )
        }
        return session
    }

    /// The session that came along, or `nil` where none was sent at all: one that is over is never taken for a sign-up.
    func sessionUnlessAnonymous() throws(SignInError) -> CachedSession? {
        carried.isEmpty ? nil : try anySession()
    }
}

private struct InstallationBody: Decodable { let installationId: String? }

/// What a request carries in the place of a session: our cookie, a bearer token, both, or something broken.
struct CarriedTokens: Sendable {
    /// Those that have the form of ours, the cookie's first: a valid session cookie wins over an `Authorization` beside it.
    let candidates: [SessionToken]
    /// Whether nothing was sent at all.
    let isEmpty: Bool
    /// Whether our cookie stands twice, so that nothing beside it counts.
    let isAmbiguous: Bool

    /// Only our cookie's name is read; two cookies of that name are no session, whatever stands beside them.
    init(_ request: HTTPRequest, cookie: SessionCookie) {
        let fromCookie = Self.cookie(request, cookie.name)
        let fromHeader = Self.bearer(request)
        let realm = cookie.realm
        isEmpty = fromCookie == .absent && fromHeader == .absent
        isAmbiguous = fromCookie == .broken(isAmbiguous: true)
        candidates = isAmbiguous ? [] : [fromCookie, fromHeader].compactMap { $0.token(in: realm) }
    }

    private enum Finding: Equatable {
        case absent
        case broken(isAmbiguous: Bool)
        case text(String)

        func token(in realm: String) -> SessionToken? {
            guard case .text(let text) = self else { return nil }
            return SessionToken(untrusted: text, in: realm)
        }
    }

    private static func cookie(_ request: HTTPRequest, _ name: String) -> Finding {
        switch request.header("Cookie") {
        case .absent: return .absent
        case .several, .malformed: return .broken(isAmbiguous: true)
        case .one(let header):
            switch CookieHeader(header)[name] {
            case .absent: return .absent
            case .several: return .broken(isAmbiguous: true)
            case .one(let value): return .text(value)
            }
        }
    }

    private static func bearer(_ request: HTTPRequest) -> Finding {
        switch request.header("Authorization") {
        case .absent: return .absent
        case .several, .malformed: return .broken(isAmbiguous: false)
        case .one(let value):
            let parts = value.split(separator: " ", maxSplits: 1)
            guard let scheme = parts.first, scheme.lowercased() == "bearer" else { return .absent }
            return parts.count == 2 ? .text(String(parts[1])) : .broken(isAmbiguous: false)
        }
    }
}

/// Everything that handlers call.
public struct Services: Sendable {
    public let storage: any Storage
    public let signIn: SignInService
    public let enrollment: EnrollmentService
    public let credentials: CredentialService
    public let sessions: SessionService
    public let machines: MachineService
    public let offers: OfferService
    public let links: LinkService
    public let notices: NoticeService
    public let registry: ProviderRegistry
    public let lanes: WorkerLanes
    public let clock: any Clock
    public let log: Log

    public init(
        storage: any Storage,
        signIn: SignInService,
        enrollment: EnrollmentService,
        credentials: CredentialService,
        sessions: SessionService,
        machines: MachineService,
        offers: OfferService,
        links: LinkService,
        notices: NoticeService,
        registry: ProviderRegistry,
        lanes: WorkerLanes,
        clock: any Clock,
        log: Log
    ) {
        self.storage = storage
        self.signIn = signIn
        self.enrollment = enrollment
        self.credentials = credentials
        self.sessions = sessions
        self.machines = machines
        self.offers = offers
        self.links = links
        self.notices = notices
        self.registry = registry
        self.lanes = lanes
        self.clock = clock
        self.log = log
    }
}
