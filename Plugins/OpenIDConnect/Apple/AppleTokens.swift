public import Crypto
public import GatehouseKit
public import WebClient
import Wire

/// Apple's side of a link: the refresh token that stands for it there, got with an authorization code and revoked when the link
/// goes (Apple, "Generate and validate tokens" and "Revoke tokens").
///
/// Kept so that it can be revoked, and for nothing else; sealed, as whoever holds it and the team's key acts for the person.
public struct AppleTokens: Sendable {
    private let secret: AppleClientSecret
    private let endpoints: AppleEndpoints
    private let box: SealedBox
    private let clock: any Clock
    private let log: Log
    private let post: @Sendable (_ form: String, _ url: String) throws(WebClientFault) -> WebAnswer

    /// - Parameters:
    ///   - box: Seals what is stored.
    ///   - post: Sends a form; blocks.
    public init(
        _ secret: AppleClientSecret,
        endpoints: AppleEndpoints,
        box: SealedBox,
        clock: any Clock,
        log: Log,
        post: @escaping @Sendable (_ form: String, _ url: String) throws(WebClientFault) -> WebAnswer
    ) {
        self.secret = secret
        self.endpoints = endpoints
        self.box = box
        self.clock = clock
        self.log = log
        self.post = post
    }

    /// Redeems a code, and seals the refresh token that it gives.
    ///
    /// - Parameter claims: Those of the identity token that came with the code; the code must be the same person's.
    func grant(for code: Secret, of claims: IDTokenClaims) throws(SignInError) -> SealedGrant {
        guard let code = code.text, let clientID = claims.audience.first else { throw Self.refused }
        let answer = try ask(
            endpoints.token,
            clientID,
            [("grant_type", "authorization_code"), ("code", code)]
        )
        guard answer.status == 200 else { throw rejection(answer) }
        let members = try? JSONMembers(parsing: answer.body)
        guard case .string(let token) = members?["refresh_token"], case .string(let identity) = members?["id_token"]
        else {
            throw .unavailable(Self.fault(answer.status))
        }
        // It comes from Apple itself over TLS, which stands for its signature (OpenID Connect Core 1.0 §3.1.3.7).
        guard let owner = try? IDToken(parsing: Array(identity.utf8)).claims.subject,
            owner.utf8.elementsEqual(claims.subject.utf8)
        else { throw Self.refused }
        guard let sealed = box.seal(Array(token.utf8), for: SealedGrant.context(clientID)) else {
            throw .unavailable(ProviderFault("seal a refresh token", code: 0))
        }
        return SealedGrant(clientID: clientID, refreshToken: Base64URL(bytes: sealed))
    }

    /// Ends a grant at Apple's.
    func revoke(_ grant: SealedGrant) throws(SignInError) {
        guard let plain = box.open(grant.refreshToken.bytes, for: SealedGrant.context(grant.clientID)) else {
            throw .refused(Refusal(.credentialRejected, "the refresh token was sealed with another key"))
        }
        let answer = try ask(
            endpoints.revocation,
            grant.clientID,
            [("token", String(decoding: plain, as: UTF8.self)), ("token_type_hint", "refresh_token")]
        )
        // Nothing is left to end where Apple did it already: the person withdrew their consent there.
        guard answer.status == 200 || Self.isInvalidGrant(answer) else { throw rejection(answer) }
    }

    private func ask(
        _ url: String,
        _ clientID: String,
        _ fields: [(name: String, value: String)]
    ) throws(SignInError) -> WebAnswer {
        do throws(ProviderFault) {
            let secret = try secret.text(for: clientID, at: clock.now)
            let all = [("client_id", clientID), ("client_secret", secret)] + fields
            let form = all.map { "\($0)=\(PercentEncoding.component($1))" }.joined(separator: "&")
            return try send(form, to: url)
        } catch { throw .unavailable(error) }
    }

    private func send(_ form: String, to url: String) throws(ProviderFault) -> WebAnswer {
        do throws(WebClientFault) { return try post(form, url) } catch { throw Self.fault(error.code) }
    }

    /// What an answer of another status than 200 means: only that a grant isn't good is said of the client (RFC 6749 §5.2).
    private func rejection(_ answer: WebAnswer) -> SignInError {
        if Self.isInvalidGrant(answer) { return Self.refused }
        if Self.error(of: answer) == .string("invalid_client") {
            log(.error, "Apple does not know the team's key; see providers.apple.team_id, key_id and private_key")
        }
        return .unavailable(Self.fault(answer.status))
    }

    private static func isInvalidGrant(_ answer: WebAnswer) -> Bool {
        answer.status == 400 && error(of: answer) == .string("invalid_grant")
    }

    private static func error(of answer: WebAnswer) -> JSONMembers.Value? {
        (try? JSONMembers(parsing: answer.body))?["error"]
    }

    private static let refused = SignInError.refused(Refusal(.tokenInvalid, "the authorization code is not good"))

    private static func fault(_ code: Int) -> ProviderFault {
        ProviderFault("ask Apple", code: code, kind: .dependency)
    }
}

/// Where Apple answers; https URLs.
public struct AppleEndpoints: Sendable {
    let token: String
    let revocation: String

    public init(token: String, revocation: String) {
        self.token = token
        self.revocation = revocation
    }
}

/// A refresh token at rest.
struct SealedGrant: Codable {
    /// Who may use it.
    let clientID: String
    let refreshToken: Base64URL

    /// What the box is sealed for.
    static func context(_ clientID: String) -> [UInt8] { Array("refresh token\0\(clientID)".utf8) }
}
