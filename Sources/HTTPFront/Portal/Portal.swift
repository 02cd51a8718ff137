import GatehouseKit
import Wire

/// The pages that people see, served from the binary.
struct Portal: Sendable {
    let settings: FrontSettings
    let text: PortalText
    let pages: PortalPages
    private let assets: PortalAssets

    init(settings: FrontSettings, kinds: [CredentialKind], text: PortalText = .english) {
        self.settings = settings
        self.text = text
        assets = PortalAssets(text: text)
        pages = PortalPages(name: settings.name, kinds: kinds, assets: assets.path, text: text)
    }

    var routes: [Route] {
        [
            .immediate(.get, "/") { _ in redirect(to: "/account") },
            .immediate(.get, "/sign-in", signIn),
            .immediate(.get, "/account", account),
            .immediate(.get, "/setup") { _ in Self.page(pages.setup) },
            .immediate(.get, "/recover") { _ in Self.page(pages.recovery) },
            .immediate(.get, "/assets/{version}/{file}") { request in
                assets.response(to: request) ?? Problem(.notFound, requestID: request.requestID).response
            },
        ]
    }

    private func signIn(_ request: HTTPRequest) -> HTTPResponse {
        signInPage(200, PortalPages.Visit(returnTo: returnURL(in: request), mayBeSignedIn: mayBeSignedIn(request)))
    }

    /// The sign-in page, and leave for its form to lead to where the visitor came from.
    func signInPage(_ status: Int, _ visit: PortalPages.Visit) -> HTTPResponse {
        Self.page(pages.signIn(visit), status: status, formLeadsTo: visit.returnTo?.origin)
    }

    /// The account page, for whoever may be signed in; its script asks who it is.
    private func account(_ request: HTTPRequest) -> HTTPResponse {
        mayBeSignedIn(request) ? Self.page(pages.account) : redirect(to: "/sign-in")
    }

    /// A page for a browser, and nothing for a client of the API, which gets a problem document.
    func notFound(_ request: HTTPRequest) -> HTTPResponse? {
        guard request.method == .get, case .one(let accepted) = request.header("Accept"),
            accepted.contains("text/html")
        else { return nil }
        return Self.page(pages.notFound, status: 404)
    }

    private func mayBeSignedIn(_ request: HTTPRequest) -> Bool {
        !CarriedTokens(request, cookie: settings.cookie).candidates.isEmpty
    }

    /// Where the visitor came from, if people may be sent there.
    private func returnURL(in request: HTTPRequest) -> WebURL? {
        let query = request.target.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        return PercentEncoding.form(query)?.first { $0.name == "return_to" }.flatMap { settings.returnURL($0.value) }
    }

    private func redirect(to path: String) -> HTTPResponse {
        HTTPResponse(
            302,
            headers: [("Location", "\(settings.publicOrigin)\(path)"), ("Cache-Control", "no-store")]
        )
    }

    /// Pictures of passkeys' keepers come with the list of passkeys, hence `data:`.
    ///
    /// - Parameter target: Browsers hold the answer to a form to `form-action` as well (CSP Level 3 §6.4.1, as Chromium
    ///   reads it), so the one origin that the visitor is sent to stands there.
    private static func page(_ body: HTTPBody, status: Int = 200, formLeadsTo target: WebOrigin? = nil) -> HTTPResponse
    {
        let formAction = "form-action 'self'" + (target.map { " \($0)" } ?? "")
        let policy =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            + "\(formAction); base-uri 'none'; frame-ancestors 'none'"
        return HTTPResponse(
            status,
            headers: [
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
                ("Content-Security-Policy", policy),
            ],
            body: body
        )
    }
}
