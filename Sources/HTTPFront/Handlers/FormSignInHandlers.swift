import FoundationEssentials
import GatehouseCore
import GatehouseKit
import Wire

/// `POST /sign-in`: a password sign-in from the portal's page, without its script.
struct FormSignInHandlers: Sendable {
    let settings: FrontSettings
    let portal: Portal
    let lane: WorkLane

    var routes: [Route] {
        [
            Route(
                method: .post,
                path: "/sign-in",
                action: .job(
                    Route.Job(
                        isThrottled: true,
                        content: .form,
                        lane: { [lane] _ in lane },
                        refusal: page,
                        run: signIn
                    )
                )
            )
        ]
    }

    /// Both calls of the API at once, and the way back in place of the answer.
    private func signIn(_ call: APICall) throws(SignInError) -> HTTPResponse {
        guard let form = SignInForm(call.request) else {
            throw .refused(Refusal(.malformedRequest, "not the form of the sign-in page"))
        }
        let service = call.services.signIn
        let begun = try service.begin(
            SignInRequest(
                identifier: form.identifier,
                kinds: [.password],
                returnTo: returnURL(in: form)?.description,
                isRemembered: form.isRemembered
            ),
            in: nil
        )
        let presented = PresentedCredential(
            ceremony: begun.ceremony.id,
            kind: .password,
            json: form.credential,
            placement: .nested
        )
        // An offer takes a script to answer it.
        let outcome = try service.complete(presented, from: call.origin, in: try call.session(), makesOffer: false)
        switch outcome {
        case .signedIn(let result): return signedIn(result)
        case .needsSecondFactor(let begun): return portal.secondFactorPage(begun, returnTo: returnURL(in: form))
        }
    }

    private func signedIn(_ result: SignInResult) -> HTTPResponse {
        let home = "\(settings.publicOrigin)/account"
        return HTTPResponse(
            303,
            headers: [("Location", result.returnTo ?? home), ("Cache-Control", "no-store")]
                + settings.cookie.headers(for: result.issued)
        )
    }

    /// The page again, with what was typed but the password, and with what went wrong.
    private func page(_ error: SignInError, _ request: HTTPRequest) -> HTTPResponse {
        let form = SignInForm(request)
        let visit = PortalPages.Visit(
            identifier: form?.identifier ?? "",
            returnTo: form.flatMap(returnURL),
            error: portal.text.message(for: error)
        )
        let problem = Problem(error, requestID: request.requestID)
        var response = portal.signInPage(problem.status, visit)
        if let seconds = problem.retryAfter { response.headers.append(("Retry-After", String(seconds))) }
        return response
    }

    private func returnURL(in form: SignInForm) -> WebURL? { form.returnTo.flatMap(settings.returnURL) }
}

/// What the page's form holds.
private struct SignInForm {
    let identifier: String
    let returnTo: String?
    let isRemembered: Bool
    private let password: String

    /// - Returns: `nil` if a field is missing or stands twice.
    init?(_ request: HTTPRequest) {
        guard let body = String(validating: request.body, as: UTF8.self), let fields = PercentEncoding.form(body) else {
            return nil
        }
        let values = Dictionary(grouping: fields, by: \.name)
        guard values.values.allSatisfy({ $0.count == 1 }), let identifier = values["identifier"]?.first?.value,
            let password = values["password"]?.first?.value
        else { return nil }
        self.identifier = identifier
        self.password = password
        returnTo = values["return_to"]?.first?.value
        isRemembered = values["remember"] != nil
    }

    /// The credential as the API takes it.
    var credential: Data {
        Data(JSONReply.encode(["credential": ["identifier": identifier, "password": password]]))
    }
}
