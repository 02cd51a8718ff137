import GatehouseCore
import GatehouseKit
import Wire

/// The pages that people see, served from the binary.
struct Portal: Sendable {
    let settings: FrontSettings
    let text: PortalText
    let pages: PortalPages
    private let assets: PortalAssets
    /// Those with a page of their own, where people come back from.
    private let redirecting: [CredentialKind]

    init(settings: FrontSettings, registry: ProviderRegistry, text: PortalText = .english) {
        self.settings = settings
        self.text = text
        assets = PortalAssets(text: text)
        redirecting = registry.authorizationPages.map(\.kind)
        pages = PortalPages(
            name: settings.name,
            kinds: registry.kinds,
            redirecting: redirecting,
            offersToRemember: settings.offersToRemember,
            assets: assets.path,
            text: text
        )
    }

    var routes: [Route] {
        [
            .immediate(.get, "/") { _ in redirect(to: "/account") },
            .immediate(.get, "/sign-in", signIn),
            .immediate(.get, "/account", account),
            .immediate(.get, "/admin/access") { request in
                mayBeSignedIn(request) ? Self.page(pages.access) : redirect(to: "/sign-in")
            },
            .immediate(.get, "/setup") { _ in Self.page(pages.setup) },
            .immediate(.get, "/recover") { _ in Self.page(pages.recovery) },
            .immediate(.get, "/assets/{version}/{file}") { request in
                assets.response(to: request) ?? Problem(.notFound, requestID: request.requestID).response
            },
        ]
    }

    private func signIn(_ request: HTTPRequest) -> HTTPResponse {
        let visit = PortalPages.Visit(
            returnTo: query("return_to", of: request).flatMap(settings.returnURL),
            error: query("error", of: request).flatMap { text.message(named: $0, of: redirecting) } ?? "",
            mayBeSignedIn: mayBeSignedIn(request)
        )
        return signInPage(200, visit)
    }

    /// The sign-in page, to go on where a form of it got half of the way; that takes a script.
    func secondFactorPage(_ begun: BegunSignIn, returnTo: WebURL?) -> HTTPResponse {
        let step = String(decoding: JSONReply.encode(SecondFactorAnswer(begun)), as: UTF8.self)
        return signInPage(
            200,
            PortalPages.Visit(returnTo: returnTo, error: text["secondFactor.withoutScript"], secondFactor: step)
        )
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
        request.method == .get && Self.isForReading(request) ? Self.page(pages.notFound, status: 404) : nil
    }

    /// Whether a person is going to see the answer.
    static func isForReading(_ request: HTTPRequest) -> Bool {
        guard case .one(let accepted) = request.header("Accept") else { return false }
        return accepted.contains("text/html")
    }

    private func mayBeSignedIn(_ request: HTTPRequest) -> Bool {
        !CarriedTokens(request, cookie: settings.cookie).candidates.isEmpty
    }

    private func query(_ name: String, of request: HTTPRequest) -> String? {
        let query = request.target.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        return PercentEncoding.form(query)?.first { $0.name == name }?.value
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
