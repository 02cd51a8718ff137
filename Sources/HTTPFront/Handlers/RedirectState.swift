import Crypto
import GatehouseKit
import Wire

/// What ties a sign-in at an issuer's page to the browser that went there: half of it is in a cookie of that browser, half in
/// the `state` that goes around (RFC 6749 §10.12).
///
/// `state` is the ceremony, and a code for it under the cookie's value. Neither half says anything about the other.
struct RedirectState: Equatable {
    let ceremony: CeremonyID
    private let code: [UInt8]

    static func of(_ ceremony: CeremonyID, in browser: BrowserKey) -> RedirectState {
        RedirectState(ceremony: ceremony, code: HMAC256(key: browser.bytes).code(for: Array(ceremony.text.utf8)))
    }

    private init(ceremony: CeremonyID, code: [UInt8]) {
        self.ceremony = ceremony
        self.code = code
    }

    init?(untrusted text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = parts.first, let ceremony = CeremonyID(untrusted: String(id)),
            let code = parts.last.flatMap({ Base64URL($0) })
        else { return nil }
        self.init(ceremony: ceremony, code: code.bytes)
    }

    var text: String { "\(ceremony.text).\(Base64URL(bytes: code).text)" }

    func isOf(_ browser: BrowserKey) -> Bool { ConstantTime.equal(code, Self.of(ceremony, in: browser).code) }
}

/// The random value of a state cookie.
struct BrowserKey {
    static let byteCount = 32

    let bytes: [UInt8]

    static func random() -> BrowserKey { BrowserKey(bytes: Random.bytes(byteCount)) }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    init?(untrusted text: String) {
        guard let bytes = Base64URL(text)?.bytes, bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    var text: String { Base64URL(bytes: bytes).text }
}

/// The cookie that comes back with a post from another site: `SameSite=None`, and therefore for one address and one errand.
struct StateCookie {
    let name: String
    private let attributes: String

    /// - Parameter callback: The path that it is for.
    init(settings: FrontSettings, kind: CredentialKind, callback: String) {
        // Browsers take `Secure` on localhost, and the prefix over https only (RFC 6265bis §4.1.3).
        let prefix = settings.publicOrigin.scheme == .https ? "__Secure-" : ""
        name = "\(prefix)gatehouse-\(kind.description.replacing(":", with: "-"))"
        attributes = "; Path=\(callback); Secure; HttpOnly; SameSite=None"
    }

    func setting(_ key: BrowserKey, for lifetime: Timestamp.Span) -> (String, String) {
        ("Set-Cookie", "\(name)=\(key.text)\(attributes); Max-Age=\(max(1, lifetime.wholeSeconds))")
    }

    var clearing: (String, String) { ("Set-Cookie", "\(name)=\(attributes); Max-Age=0") }

    /// - Returns: `nil` unless exactly one came, of our form.
    func key(in request: HTTPRequest) -> BrowserKey? {
        guard case .one(let header) = request.header("Cookie"), case .one(let value) = CookieHeader(header)[name] else {
            return nil
        }
        return BrowserKey(untrusted: value)
    }
}
