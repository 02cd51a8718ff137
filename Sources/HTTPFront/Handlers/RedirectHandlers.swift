import FoundationEssentials
import GatehouseCore
import GatehouseKit
import Wire

/// Sign-in at an issuer's own page: the way there, and the form that the page posts back.
///
/// The post comes from another site, so the `Origin` rule can't hold for it and no session's cookie comes along. The state
/// cookie stands in for both, on the one path where that is so.
struct RedirectHandlers: Sendable {
    let kind: CredentialKind
    let page: any AuthorizationPage
    let settings: FrontSettings
    let portal: Portal
    let metrics: Metrics

    static func routes(
        _ settings: FrontSettings,
        _ portal: Portal,
        _ registry: ProviderRegistry,
        _ metrics: Metrics
    ) -> [Route] {
        registry.authorizationPages.flatMap { kind, page in
            RedirectHandlers(kind: kind, page: page, settings: settings, portal: portal, metrics: metrics).routes
        }
    }

    private var routes: [Route] {
        [
            .job(.post, "\(page.path)/authorize", isThrottled: true, authorize),
            Route(
                method: .post,
                path: callbackPath,
                action: .job(
                    Route.Job(
                        isThrottled: true,
                        content: .foreignForm,
                        lane: { lane(of: $0) },
                        refusal: refused,
                        run: callback
                    )
                )
            ),
        ]
    }

    private var callbackPath: String { "\(page.path)/callback" }

    private var cookie: StateCookie { StateCookie(settings: settings, kind: kind, callback: callbackPath) }

    // MARK: There

    private func authorize(_ call: APICall) throws(SignInError) -> HTTPResponse {
        guard let id = CeremonyID(untrusted: try call.decode(CeremonyHead.self).ceremonyId) else {
            throw .refused(Refusal(.ceremonyUnknown, "not a ceremony of ours"))
        }
        let row = try call.services.signIn.awaited(id, for: kind)
        let browser = BrowserKey.random()
        let state = RedirectState.of(id, in: browser)
        return JSONReply.ok(
            [
                "location": page.url(
                    for: row.ceremony,
                    state: state.text,
                    callback: "\(settings.publicOrigin)\(callbackPath)"
                )
            ],
            headers: [cookie.setting(browser, for: row.expiresAt - call.services.clock.now)]
        )
    }

    // MARK: And back

    private func lane(of call: APICall) -> WorkLane {
        guard let form = RedirectForm(call.request), let presented = presented(form) else { return .compute }
        return call.services.signIn.lane(for: presented)
    }

    private func callback(_ call: APICall) throws(SignInError) -> HTTPResponse {
        guard let form = RedirectForm(call.request) else {
            throw .refused(Refusal(.malformedRequest, "not the form of an issuer's page"))
        }
        let row = try awaited(form, call)
        if let error = form.error {
            return signInPage(error == "user_cancelled_authorize" ? "cancelled" : "default", returnTo: row.returnTo)
        }
        guard let presented = presented(form) else {
            throw .refused(Refusal(.malformedRequest, "neither a token nor an error"))
        }
        do throws(SignInError) {
            // An offer takes a script to answer it.
            return answer(
                try call.services.signIn.complete(
                    presented,
                    from: call.origin,
                    in: try call.session(),
                    makesOffer: false
                ),
                returnTo: row.returnTo
            )
        } catch {
            guard case .refused(let refusal) = error, refusal.code.outcome != .ceremony else {
                throw Self.untold(error)
            }
            metrics.count(error)
            return signInPage(refusal.code.rawValue, returnTo: row.returnTo)
        }
    }

    private func presented(_ form: RedirectForm) -> PresentedCredential? {
        guard let state = form.state, let json = form.credential else { return nil }
        return PresentedCredential(ceremony: state.ceremony, kind: kind, json: json, placement: .nested)
    }

    /// The sign-in that the form completes, if this is the browser that went away for it.
    private func awaited(_ form: RedirectForm, _ call: APICall) throws(SignInError) -> StoredCeremony {
        guard let browser = cookie.key(in: call.request), let state = form.state, state.isOf(browser) else {
            throw .refused(Refusal(.ceremonyUnknown, "the state is not of this browser"))
        }
        do throws(SignInError) { return try call.services.signIn.awaited(state.ceremony, for: kind) } catch {
            throw Self.untold(error)
        }
    }

    /// One code for whatever is wrong with a ceremony: there is but one thing to do about it.
    private static func untold(_ error: SignInError) -> SignInError {
        guard case .refused(let refusal) = error else { return error }
        return .refused(Refusal(.ceremonyUnknown, refusal.reason))
    }

    private func answer(_ outcome: SignInOutcome, returnTo: String?) -> HTTPResponse {
        switch outcome {
        case .signedIn(let result): return signedIn(result)
        case .needsSecondFactor(let begun):
            var page = portal.secondFactorPage(begun, returnTo: returnTo.flatMap(settings.returnURL))
            page.headers.append(cookie.clearing)
            return page
        }
    }

    private func signedIn(_ result: SignInResult) -> HTTPResponse {
        let target = result.issued.session.scope == .full ? result.returnTo : nil
        return leave(for: target ?? "\(settings.publicOrigin)/account", settings.cookie.headers(for: result.issued))
    }

    /// Back to where it began, to say in words of the page's own what became of it.
    private func signInPage(_ code: String, returnTo: String?) -> HTTPResponse {
        let back = returnTo.map { "&return_to=\(PercentEncoding.component($0))" } ?? ""
        return leave(for: "\(settings.publicOrigin)/sign-in?error=\(kind).\(portal.text.known(code, in: kind))\(back)")
    }

    private func leave(for target: String, _ headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            303,
            headers: [("Location", target), ("Cache-Control", "no-store"), cookie.clearing] + headers
        )
    }

    /// What a browser shows of an error.
    ///
    /// After an outage it may send the form again, and needs the cookie for that.
    private func refused(_ error: SignInError, _ request: HTTPRequest) -> HTTPResponse {
        let problem = Problem(error, requestID: request.requestID)
        var response = problem.response
        if Portal.isForReading(request) {
            let visit = PortalPages.Visit(error: portal.text.message(for: error, in: kind))
            response = portal.signInPage(problem.status, visit)
            if let seconds = problem.retryAfter { response.headers.append(("Retry-After", String(seconds))) }
        }
        switch Problem.code(of: error).outcome {
        case .throttled, .internal: break
        default: response.headers.append(cookie.clearing)
        }
        return response
    }
}

/// What an issuer's page posts, as far as it matters here.
///
/// A code and a name come along, and are for sign-ups.
private struct RedirectForm {
    /// `nil` unless one of ours came.
    let state: RedirectState?
    let error: String?
    /// As the API takes it.
    let credential: Data?

    /// - Returns: `nil` if it is no form, or a field stands twice.
    init?(_ request: HTTPRequest) {
        guard let body = String(validating: request.body, as: UTF8.self), let fields = PercentEncoding.form(body) else {
            return nil
        }
        let values = Dictionary(grouping: fields, by: \.name)
        guard values.values.allSatisfy({ $0.count == 1 }) else { return nil }
        state = values["state"]?.first.flatMap { RedirectState(untrusted: $0.value) }
        error = values["error"]?.first?.value
        credential = values["id_token"]?.first.map {
            Data(JSONReply.encode(["credential": ["identityToken": $0.value]]))
        }
    }
}

extension ProviderRegistry {
    /// The pages that browsers are sent to.
    var authorizationPages: [(kind: CredentialKind, page: any AuthorizationPage)] {
        kinds.compactMap { kind in
            (self[kind] as? any RedirectingProvider)?.authorizationPage.map { (kind, $0) }
        }
    }
}
