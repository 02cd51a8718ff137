import GatehouseCore
import GatehouseKit
import Wire

extension MachineCredential {
    /// For applications that need `Authorization` for something of their own.
    static let tokenHeader: StaticString = "X-Gatehouse-Token"

    /// What a request carries in place of a session.
    ///
    /// - Parameter kinds: Those that the rule takes: nothing else is looked at, so that a password which is the
    ///   application's own is never tried here.
    /// - Returns: `nil` for none, for one that can't be one, and where two headers each hold a token.
    init?(in request: HTTPRequest, taking kinds: [CredentialKind]) {
        guard !kinds.isEmpty else { return nil }
        let authorization = AuthorizationHeader(request)
        let separate: String?
        switch request.header(Self.tokenHeader) {
        // A proxy may send an empty header for one that the client did not send.
        case .absent, .one(""): separate = nil
        case .one(let text): separate = text
        case .several, .malformed: return nil
        }
        let text = separate ?? authorization?.bearer
        if let text, text.hasPrefix(AccessToken.prefix) || separate != nil {
            let isAmbiguous = separate != nil && authorization?.holdsToken ?? false
            guard kinds.contains(.accessToken), !isAmbiguous, let token = AccessToken(untrusted: text) else {
                return nil
            }
            self = .token(token)
        } else if let credential = authorization?.basic {
            guard kinds.contains(.basic) else { return nil }
            self = .basic(credential)
        } else {
            let issuers = kinds.filter(\.isIssuer)
            guard let text, !issuers.isEmpty else { return nil }
            self = .bearer(text, from: issuers)
        }
    }

    /// The `Authorization` that an application may see: not one that holds a token of ours, nor a password where the rule
    /// takes passwords, nor what just let the caller in.
    ///
    /// - Returns: Empty in place of a secret of ours; `nil` if the request has no such header.
    static func visibleAuthorization(
        of request: HTTPRequest,
        from caller: Caller?,
        taking kinds: () -> [CredentialKind]
    ) -> String? {
        guard let header = AuthorizationHeader(request) else { return nil }
        let isOurs =
            switch header.scheme {
            case "bearer": header.holdsToken || header.holdsSession || caller?.isOfIssuer ?? false
            case "basic": kinds().contains(.basic)
            default: false
            }
        return isOurs ? "" : header.value
    }
}

extension Caller {
    /// Whether it came with the token of another issuer.
    fileprivate var isOfIssuer: Bool {
        guard case .machine(let machine) = self else { return false }
        return machine.kind.isIssuer
    }
}

/// The value of an `Authorization` header that stands once: a scheme and what it carries (RFC 9110 §11.6.2).
private struct AuthorizationHeader {
    let value: String
    /// In lower case.
    let scheme: String
    private let rest: String

    init?(_ request: HTTPRequest) {
        guard case .one(let value) = request.header("Authorization") else { return nil }
        self.value = value
        let parts = value.split(separator: " ", maxSplits: 1)
        scheme = parts.first?.lowercased() ?? ""
        rest = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
    }

    var bearer: String? { scheme == "bearer" ? rest : nil }
    var holdsToken: Bool { bearer?.hasPrefix(AccessToken.prefix) ?? false }
    var holdsSession: Bool { bearer.flatMap { SessionToken(untrusted: $0) } != nil }

    /// A name and a password in UTF-8, apart by the first colon (RFC 7617 §2).
    var basic: BasicCredential? {
        guard scheme == "basic", let bytes = Self.decoded(rest), let text = String(validating: bytes, as: UTF8.self),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        return BasicCredential(
            identifier: String(text[..<colon]),
            password: String(text[text.index(after: colon)...])
        )
    }

    /// Padded base64 (RFC 4648 §4).
    private static func decoded(_ text: String) -> [UInt8]? {
        let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard text.utf8.count % 4 == 0, padding <= 2 else { return nil }
        return Base64URL(standard: text.dropLast(padding))?.bytes
    }
}
