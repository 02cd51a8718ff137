public import GatehouseCore
public import GatehouseKit
public import Wire

/// The documents under `/.well-known/`, made once at start.
public struct WellKnownDocuments: Sendable {
    private let apps: Apps
    private let passkeyOrigins: [WebOrigin]
    private let publishedKeys: @Sendable () throws(ProviderFault) -> [PublishedKey]

    /// The apps that may use this site's credentials.
    public struct Apps: Equatable, Sendable {
        /// `TEAMID.bundle.id`.
        public let apple: [String]
        public let androidPackage: String?
        /// SHA-256 of signing certificates, as 32 colon-separated bytes.
        public let androidFingerprints: [String]

        public init(apple: [String] = [], androidPackage: String? = nil, androidFingerprints: [String] = []) {
            self.apple = apple
            self.androidPackage = androidPackage
            self.androidFingerprints = androidFingerprints
        }
    }

    /// - Parameters:
    ///   - passkeyOrigins: Those whose pages may use the passkeys.
    ///   - publishedKeys: Those that verify `Remote-Token`.
    public init(
        apps: Apps,
        passkeyOrigins: [WebOrigin],
        publishedKeys: @escaping @Sendable () throws(ProviderFault) -> [PublishedKey] = { [] }
    ) {
        self.apps = apps
        self.passkeyOrigins = passkeyOrigins
        self.publishedKeys = publishedKeys
    }

    /// - Parameter origin: The address of the portal that they are asked for at.
    func routes(at origin: WebOrigin) -> [Route] {
        [
            // Apple, "Supporting associated domains".
            document("apple-app-site-association", ["webcredentials": ["apps": apps.apple]]),
            document("assetlinks.json", assetLinks),
            // WebAuthn Level 3 §5.11.
            document("webauthn", ["origins": passkeyOrigins.map(\.description)]),
            // W3C "A Well-Known URL for Relying Party Passkey Endpoints".
            document(
                "passkey-endpoints",
                ["enroll": "\(origin)/account#passkeys", "manage": "\(origin)/account#passkeys"]
            ),
            .immediate(.get, "/.well-known/jwks.json", keySet),
            // W3C "A Well-Known URL for Changing Passwords".
            .immediate(.get, "/.well-known/change-password") { _ in
                HTTPResponse(302, headers: [("Location", "\(origin)/account#password"), Self.caching])
            },
        ]
    }

    private static let caching = ("Cache-Control", "public, max-age=300")

    private func document(_ name: String, _ value: some Encodable) -> Route {
        let body = HTTPBody.shared(StaticBytes(keeping: JSONReply.encode(value)))
        return .immediate(.get, "/.well-known/\(name)") { _ in
            HTTPResponse(200, headers: [("Content-Type", "application/json"), Self.caching], body: body)
        }
    }

    /// A JSON Web Key Set (RFC 7517 §5), which changes as keys do.
    private func keySet(_ request: HTTPRequest) -> HTTPResponse {
        do throws(ProviderFault) {
            let body = HTTPBody.bytes(JSONReply.encode(["keys": try publishedKeys()]))
            return HTTPResponse(200, headers: [("Content-Type", "application/json"), Self.caching], body: body)
        } catch { return Problem(.unavailable(error), requestID: request.requestID).response }
    }

    /// Google, "Digital Asset Links": who may use credentials of this site.
    private var assetLinks: [AssetLink] {
        guard let package = apps.androidPackage else { return [] }
        return [
            AssetLink(
                relation: [
                    "delegate_permission/common.get_login_creds", "delegate_permission/common.handle_all_urls",
                ],
                target: AssetLink.Target(
                    namespace: "android_app",
                    package_name: package,
                    sha256_cert_fingerprints: apps.androidFingerprints
                )
            )
        ]
    }
}

private struct AssetLink: Encodable {
    let relation: [String]
    let target: Target

    struct Target: Encodable {
        let namespace: String
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let package_name: String
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let sha256_cert_fingerprints: [String]
    }
}
