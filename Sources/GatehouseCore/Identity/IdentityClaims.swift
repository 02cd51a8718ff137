import FoundationEssentials
import GatehouseKit
import Wire

/// What an identity token says (RFC 7519 §4.1; OpenID Connect Core 1.0 §2 and §5.1).
struct IdentityClaims: Encodable {
    let iss: String
    /// The host of the application, so that it can't show the token to another.
    let aud: String
    /// The account's ID, which stays when its name doesn't.
    let sub: String
    /// Seconds since 1970, like the next.
    let iat: Int64
    let exp: Int64
    let preferredUsername: String
    let name: String
    let email: String?
    let groups: [String]
    /// The assurance level.
    let acr: String
    /// How the account was proved (RFC 8176 §2); none for a token.
    let amr: [String]
    /// As in `Remote-Methods`.
    let methods: [String]
    /// When that was; `nil` for a token, with which nobody signed in.
    let authTime: Int64?

    private enum CodingKeys: String, CodingKey {
        case iss, aud, sub, iat, exp, name, email, groups, acr, amr, methods
        case preferredUsername = "preferred_username"
        case authTime = "auth_time"
    }

    init(_ caller: Caller, issuer: String, audience: String, now: Timestamp) {
        iss = issuer
        aud = audience
        sub = caller.account.id.text
        iat = now.milliseconds / 1_000
        exp = min(now + IdentitySigner.life, caller.expiresAt).milliseconds / 1_000
        preferredUsername = caller.account.username
        name = caller.account.displayName
        email = caller.account.email
        groups = caller.account.groups
        acr = caller.assurance.rawValue
        amr = caller.proofs.methodReferences
        methods = caller.methodList.split(separator: ",").map(String.init)
        authTime = caller.authenticatedAt.map { $0.milliseconds / 1_000 }
    }

    static func header(keyID: String) -> String {
        encoded(Array(#"{"alg":"ES256","kid":"\#(keyID)","typ":"JWT"}"#.utf8))
    }

    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Our own types of strings and integers: encoding them can't fail.
        return Self.encoded([UInt8]((try? encoder.encode(self)) ?? Data("{}".utf8)))
    }

    static func encoded(_ bytes: [UInt8]) -> String { Base64URL(bytes: bytes).text }
}

extension [Proof] {
    /// What they amount to in the words of RFC 8176 §2.
    var methodReferences: [String] {
        let factors = reduce(into: Proof.Factors()) { $0.formUnion($1.factors) }
        var references: [String] = []
        if factors.contains(.knowledge) { references.append("pwd") }
        if factors.contains(.possession) {
            references.append(contains { $0.deviceBound && $0.attested } ? "hwk" : "pop")
        }
        if contains(where: \.userVerified) { references.append("user") }
        if factors.contains(.possession), !factors.isDisjoint(with: [.knowledge, .inherence]) {
            references.append("mfa")
        }
        return references
    }
}
