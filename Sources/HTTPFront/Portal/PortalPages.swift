import GatehouseKit
import Wire

/// The pages with everything filled in that is known at the start.
struct PortalPages: Sendable {
    let account: HTTPBody
    let access: HTTPBody
    let setup: HTTPBody
    let recovery: HTTPBody
    let notFound: HTTPBody
    private let signIn: PageTemplate

    /// What the sign-in page says about one visitor.
    struct Visit {
        var identifier = ""
        /// Checked: it stands in the page for its script and its form.
        var returnTo: WebURL?
        var error = ""
        /// The answer with which a sign-in goes on, as the API gives it.
        var secondFactor = ""
        /// Whether a session may be there, so that the page asks before it shows itself.
        var mayBeSignedIn = false
    }

    init(
        name: String,
        kinds: [CredentialKind],
        redirecting: [CredentialKind],
        offersToRemember: Bool,
        assets: String,
        text: PortalText
    ) {
        let shared = text.words.merging([
            "name": name, "assets": assets, "kinds": kinds.map(\.description).joined(separator: " "),
            "redirecting": redirecting.map(\.description).joined(separator: " "),
            "remember": offersToRemember ? "yes" : "no",
        ]) { _, ours in ours }
        func template(_ page: [UInt8], _ title: String) -> PageTemplate {
            let source = String(decoding: PackageResources.head_html + page, as: UTF8.self)
            return PageTemplate(source, filling: shared.merging(["title": text[title]]) { _, ours in ours })
        }
        func body(_ page: [UInt8], _ title: String) -> HTTPBody {
            .shared(StaticBytes(keeping: template(page, title).page()))
        }
        signIn = template(PackageResources.sign_in_html, "signIn.title")
        account = body(PackageResources.account_html, "account.title")
        access = body(PackageResources.access_html, "access.title")
        setup = body(PackageResources.setup_html, "setup.title")
        recovery = body(PackageResources.recover_html, "recover.title")
        notFound = body(PackageResources.not_found_html, "notFound.title")
    }

    /// The gaps that every visit to the sign-in page fills.
    var gaps: [String] { signIn.gaps }

    func signIn(_ visit: Visit) -> HTTPBody {
        .bytes(
            signIn.page([
                "identifier": visit.identifier, "returnTo": visit.returnTo?.description ?? "", "error": visit.error,
                "pending": visit.mayBeSignedIn || !visit.secondFactor.isEmpty ? "yes" : "no",
                "secondFactor": visit.secondFactor,
            ])
        )
    }
}
