import Crypto
import Wire

/// What the pages load: one style sheet, scripts and pictures.
///
/// All of them lie under one digest of all of them, so that a browser may keep them for ever, scripts can import each
/// other by relative names, and a new version never meets an old one.
struct PortalAssets: Sendable {
    private struct Asset {
        let type: String
        let body: HTTPBody
    }

    /// Ends without a slash.
    let path: String
    private let byPath: [String: Asset]

    init(text: PortalText) {
        let script = "text/javascript; charset=utf-8"
        let files: [(name: String, type: String, bytes: [UInt8])] = [
            ("portal.css", "text/css; charset=utf-8", PackageResources.portal_css),
            ("icon.svg", "image/svg+xml", PackageResources.icon_svg),
            ("passkey.svg", "image/svg+xml", PackageResources.passkey_svg),
            ("access.js", script, PackageResources.access_js),
            ("account.js", script, PackageResources.account_js),
            ("api.js", script, PackageResources.api_js),
            ("link.js", script, PackageResources.link_js),
            ("secondfactor.js", script, PackageResources.secondfactor_js),
            ("signin.js", script, PackageResources.signin_js),
            ("stepup.js", script, PackageResources.stepup_js),
            ("text.js", script, Self.module(of: text)),
            ("ui.js", script, PackageResources.ui_js),
            ("webauthn.js", script, PackageResources.webauthn_js),
        ]
        let digest = Base64URL(bytes: SHA256.hash(files.flatMap { Array($0.name.utf8) + $0.bytes })).text
        let path = "/assets/\(digest.prefix(16))"
        self.path = path
        byPath = Dictionary(
            uniqueKeysWithValues: files.map { file in
                ("\(path)/\(file.name)", Asset(type: file.type, body: .shared(StaticBytes(keeping: file.bytes))))
            }
        )
    }

    /// The catalog as a module: JSON is an expression of JavaScript (ECMA-262, "JSON superset").
    private static func module(of text: PortalText) -> [UInt8] {
        Array("export default ".utf8) + JSONReply.encode(text.words) + Array(";\n".utf8)
    }

    /// - Returns: `nil` if there is no such file in this version.
    func response(to request: HTTPRequest) -> HTTPResponse? {
        byPath[String(request.target.prefix { $0 != "?" })].map { asset in
            HTTPResponse(
                200,
                headers: [
                    ("Content-Type", asset.type), ("Cache-Control", "public, max-age=31536000, immutable"),
                ],
                body: asset.body
            )
        }
    }
}
