import Crypto
import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import OpenIDConnectProvider
import Wire

/// Verifying a whole ID token by a key that is at hand, beside libcrypto verifying its signature alone with a key that was
/// prepared before.
struct IdentityToken: Scenario {
    let name = "identity-token"
    let budget = 0.80

    func run() throws -> Double {
        let token = try PresentedToken()
        return try AlternatingRounds().ratio(of: token.verify, to: token.reference.verify)
    }

    func remark() throws -> String {
        let token = try PresentedToken()
        let least = try Allocations.count(in: token.reference.verify)
        return
            "\(try Allocations.count(in: token.verify)) allocations, the reference \(least); \(token.text.count) bytes"
    }
}

/// A token as Apple makes them, ready to be verified again and again.
private struct PresentedToken {
    let text: [UInt8]
    let reference: RSAReference
    private let keys: TokenKeySet
    private let rules = IDTokenRules(issuers: [TokenIssuer.apple], clientIDs: ["com.example.app"], algorithms: [.rs256])
    private let draft = CeremonyDraft()

    init() throws {
        let key = SigningKey.sharedRSA
        let signed = Array(try Self.signedText(nonce: Base64URL(bytes: draft.challenge.bytes).text).utf8)
        let signature = key.sign(signed)
        text = signed + Array(".\(Base64URL(bytes: signature).text)".utf8)
        reference = try RSAReference(coseKey: key.coseKey.encoded, signature: signature, message: signed)
        let modulus = Base64URL(bytes: key.modulus).text
        let set = #"{"keys":[{"kty":"RSA","kid":"fh6Bs8C","use":"sig","alg":"RS256","n":"\#(modulus)","e":"AQAB"}]}"#
        guard let keys = TokenKeySet(parsing: Array(set.utf8)) else { throw ScenarioFault(reason: "no key set") }
        self.keys = keys
    }

    private static func signedText(nonce: String) throws -> String {
        let header = #"{"kid":"fh6Bs8C","alg":"RS256"}"#
        let claims = """
            {"iss":"https://appleid.apple.com","aud":"com.example.app","exp":1800000600,"iat":1800000000,\
            "sub":"001234.0123456789abcdef0123456789abcdef.0123","nonce":"\(nonce)","c_hash":"AAAAAAAAAAAAAAAAAAAAAA",\
            "email":"abcdefghij@privaterelay.appleid.com","email_verified":"true","is_private_email":"true",\
            "auth_time":1800000000,"nonce_supported":true,"real_user_status":2}
            """
        return [header, claims].map { Base64URL(bytes: Array($0.utf8)).text }.joined(separator: ".")
    }

    func verify() throws {
        let token = try IDToken(parsing: text)
        _ = try rules.verify(
            token,
            by: keys.keys(named: token.keyID, for: token.algorithm),
            nonce: TokenNonce(draft.ceremony),
            at: Timestamp(milliseconds: 1_800_000_000_000)
        )
    }
}
