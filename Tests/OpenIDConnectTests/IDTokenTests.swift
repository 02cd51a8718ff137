import Crypto
import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import Testing
import Wire

@testable import OpenIDConnectProvider

struct IDTokenTests {
    let site = TokenSite()
    let draft = CeremonyDraft()

    init() throws { try site.link(site.alice) }

    /// Why a token with other claims is refused; `nil` if it is taken.
    private func fault(_ change: (inout JSONValue) -> Void) throws -> Refusal.Reason? {
        try reason { _ = try site.verify(site.token(draft, change), in: draft) }
    }

    private func fault(header: [String: JSONValue]) throws -> Refusal.Reason? {
        try reason { _ = try site.verify(site.token(draft, header: header), in: draft) }
    }

    @Test func `a good token proves its account, and no factor`() throws {
        let evidence = try site.verify(site.token(draft), in: draft)
        #expect(evidence.account == site.alice.id && evidence.proof == Proof(factors: []))
        #expect(evidence.change == nil && evidence.anomalies == [])
    }

    // MARK: Algorithm and key

    @Test(arguments: ["none", "HS256", "RS384", "PS256", "rs256", "ES256", ""])
    func `another algorithm than RS256 is refused`(name: String) throws {
        #expect(try fault(header: ["alg": .string(name)]) == IDTokenFault.algorithm.reason)
    }

    @Test func `a token whose signature was cut off is refused, whatever algorithm it names`() throws {
        let parts = try site.token(draft, header: ["alg": .string("none")]).split(separator: ".")
        #expect(try refusal { _ = try site.verify("\(parts[0]).\(parts[1]).", in: draft) } == .tokenInvalid)
    }

    @Test func `a shared secret made of the public key signs nothing`() throws {
        let header = try JSONValue.object(["alg": .string("HS256"), "kid": .string(KeyPublisher.keyID)]).encoded
        let signed = [header, try TokenSite.claims(draft).encoded].map { Base64URL(bytes: [UInt8]($0)).text }
        let text = signed.joined(separator: ".")
        let code = HMAC256(key: SigningKey.sharedRSA.modulus).code(for: Array(text.utf8))
        let token = "\(text).\(Base64URL(bytes: code).text)"
        #expect(try reason { _ = try site.verify(token, in: draft) } == IDTokenFault.algorithm.reason)
    }

    @Test func `a token must name its key`() throws {
        #expect(try fault(header: ["kid": .null]) == IDTokenFault.key.reason)
        #expect(try fault(header: ["kid": .string("")]) == IDTokenFault.key.reason)
        #expect(try fault(header: ["kid": .number(1)]) == IDTokenFault.key.reason)
        #expect(try fault(header: ["kid": .string("key-2")]) == IDTokenFault.key.reason)
    }

    @Test func `another key than the one that is named does not do`() throws {
        let token = try site.publisher.token(TokenSite.claims(draft), key: SigningKey(.rs256))
        #expect(try reason { _ = try site.verify(token, in: draft) } == IDTokenFault.signature.reason)
    }

    @Test func `critical extensions and other types of tokens are refused`() throws {
        #expect(try fault(header: ["crit": .array([.string("b64")])]) == IDTokenFault.malformed.reason)
        #expect(try fault(header: ["typ": .string("logout+jwt")]) == IDTokenFault.type.reason)
        #expect(try fault(header: ["typ": .number(1)]) == IDTokenFault.type.reason)
        #expect(try fault(header: ["typ": .string("JWT")]) == nil)
        #expect(try fault(header: ["typ": .string("jwt")]) == nil)
    }

    // MARK: Issuer and audience

    @Test(arguments: [
        "https://appleid.apple.com/", "https://appleid.apple.com.evil.test", "http://appleid.apple.com",
        "https://account.apple.com", "HTTPS://appleid.apple.com", "appleid.apple.com", "",
    ])
    func `another issuer is refused, however alike`(issuer: String) throws {
        #expect(try fault { $0["iss"] = .string(issuer) } == IDTokenFault.issuer.reason)
    }

    @Test func `an issuer with two names is one, and its people stay the same`() throws {
        let names = [TokenIssuer.apple, "https://account.apple.com"]
        let site = TokenSite(issuers: names)
        try site.link(site.alice)
        for name in names {
            let evidence = try site.verify(site.token(draft) { $0["iss"] = .string(name) }, in: draft)
            #expect(evidence.account == site.alice.id)
        }
        let other = CeremonyDraft.of(site.bob)
        let token = try site.token(other) { $0["iss"] = .string(names[1]) }
        #expect(try refusal { _ = try site.enrol(token, of: site.bob, in: other) } == .credentialAlreadyRegistered)
    }

    @Test func `an audience of several has to be ours altogether`() throws {
        let (ours, other) = (JSONValue.string(TokenSite.clientID), JSONValue.string("com.example.web"))
        #expect(try fault { $0["aud"] = .array([ours]) } == nil)
        #expect(try fault { $0["aud"] = .array([ours, other]) } == nil)
        #expect(try fault { $0["aud"] = .array([ours, .string("com.evil.app")]) } == IDTokenFault.audience.reason)
        #expect(try fault { $0["aud"] = .string("com.evil.app") } == IDTokenFault.audience.reason)
        #expect(try fault { $0["aud"] = .string("") } == IDTokenFault.audience.reason)
        #expect(try fault { $0["aud"] = .array([]) } == IDTokenFault.claims.reason)
        #expect(try fault { $0["aud"] = .array([ours, .number(1)]) } == IDTokenFault.claims.reason)
        #expect(try fault { $0["aud"] = nil } == IDTokenFault.claims.reason)
    }

    @Test func `a token that was issued to another app is refused`() throws {
        #expect(try fault { $0["azp"] = .string("com.evil.app") } == IDTokenFault.authorizedParty.reason)
        #expect(try fault { $0["azp"] = .string("com.example.web") } == nil)
    }

    @Test func `without client IDs no token is for us`() throws {
        let rules = IDTokenRules(issuers: [TokenIssuer.apple], clientIDs: [], algorithms: [.rs256])
        for audience in [[], [""], [TokenSite.clientID]] {
            #expect(throws: IDTokenFault.audience) {
                try rules.check(issuer: TokenIssuer.apple, audience: audience, authorizedParty: nil)
            }
        }
    }

    // MARK: Time

    @Test(arguments: [
        ("exp", -30, nil), ("exp", -59, nil), ("exp", -60, IDTokenFault.expired), ("exp", -300, .expired),
        ("iat", 30, nil), ("iat", 60, nil), ("iat", 61, .notYetValid), ("iat", 600, .notYetValid),
        ("nbf", 60, nil), ("nbf", 61, .notYetValid),
    ])
    func `clocks may differ by a minute`(claim: String, seconds: Int64, expected: IDTokenFault?) throws {
        #expect(try fault { $0[claim] = .number(Double(TokenSite.now + seconds)) } == expected?.reason)
    }

    @Test(arguments: ["exp", "iat", "nbf"])
    func `a time is a whole number of seconds in this age`(claim: String) throws {
        let draft = CeremonyDraft()
        for text in [
            "\"1800000600\"", "1e18", "1000000000000000000", "99999999999999999999", "1.8e9", "1800000600.5",
            "-1", "null", "true", "[1800000600]", "253402300800",
        ] {
            let claims = try TokenSite.claims(draft) { $0[claim] = .string("@") }.encoded
            let json = String(decoding: claims, as: UTF8.self).replacing("\"@\"", with: text)
            let header = Data("{\"alg\":\"RS256\",\"kid\":\"key-1\"}".utf8)
            let token = try site.publisher.sign(header, Data(json.utf8))
            #expect(try reason { _ = try site.verify(token, in: draft) } == IDTokenFault.claims.reason, "\(text)")
        }
    }

    @Test(arguments: ["exp", "iat", "sub", "iss"])
    func `what a token must say is missed`(claim: String) throws {
        #expect(try fault { $0[claim] = nil } == IDTokenFault.claims.reason)
        #expect(try fault { $0[claim] = .null } == IDTokenFault.claims.reason)
    }

    // MARK: Nonce

    @Test func `a nonce is that of the ceremony, raw or as SHA-256 in lower-case hexadecimal`() throws {
        let raw = Array(TokenSite.nonce(of: draft).utf8)
        let digest = SHA256.hash(raw)
        let hex = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(try fault { $0["nonce"] = .string(hex) } == nil)
        let digestOfHex = SHA256.hash(Array(hex.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        for wrong in [
            Base64URL(bytes: digest).text, Base64URL(bytes: digest).standardText + "=", hex.uppercased(),
            digestOfHex.joined(), TokenSite.nonce(of: CeremonyDraft()), "",
        ] {
            #expect(try fault { $0["nonce"] = .string(wrong) } == IDTokenFault.nonce.reason)
        }
    }

    @Test(arguments: [nil, JSONValue.bool(true), .bool(false), .string("false")])
    func `no nonce is no answer, whatever the token says of the device`(supported: JSONValue?) throws {
        let missing = try fault {
            $0["nonce"] = nil
            $0["nonce_supported"] = supported
        }
        #expect(missing == IDTokenFault.nonce.reason)
    }

    // MARK: Form
    @Test func `a subject has 1 to 255 bytes`() throws {
        #expect(try fault { $0["sub"] = .string("") } == IDTokenFault.claims.reason)
        #expect(try fault { $0["sub"] = .string(String(repeating: "s", count: 256)) } == IDTokenFault.claims.reason)
        #expect(try fault { $0["sub"] = .number(7) } == IDTokenFault.claims.reason)
        let longest = String(repeating: "s", count: 255)
        try site.link(site.bob) { $0["sub"] = .string(longest) }
        #expect(try fault { $0["sub"] = .string(longest) } == nil)
    }

    @Test(arguments: [
        #"{"alg":"RS256","kid":"key-1","kid":"key-1"}"#, #"{"alg":"RS256","kid":"key-1"} x"#, "[]", "",
        #"{"alg":"RS256","kid":"\ud800"}"#,
    ])
    func `a header that can be read in two ways is refused`(header: String) throws {
        let token = try site.publisher.sign(Data(header.utf8), TokenSite.claims(draft).encoded)
        #expect(try reason { _ = try site.verify(token, in: draft) } == IDTokenFault.malformed.reason)
    }

    @Test func `a claim that stands there twice is refused`() throws {
        let claims = String(decoding: try TokenSite.claims(draft).encoded, as: UTF8.self)
        let doubled = claims.replacing("\"sub\":", with: "\"sub\":\"001.bob\",\"sub\":")
        let token = try site.publisher.sign(Data(#"{"alg":"RS256","kid":"key-1"}"#.utf8), Data(doubled.utf8))
        #expect(try reason { _ = try site.verify(token, in: draft) } == IDTokenFault.malformed.reason)
    }

    @Test func `subjects that differ in half a character are no one's`() throws {
        let claims = String(decoding: try TokenSite.claims(draft).encoded, as: UTF8.self)
        let broken = claims.replacing("001.alice", with: #"\ud800"#)
        let token = try site.publisher.sign(Data(#"{"alg":"RS256","kid":"key-1"}"#.utf8), Data(broken.utf8))
        #expect(try reason { _ = try site.verify(token, in: draft) } == IDTokenFault.malformed.reason)
    }

    @Test(arguments: ["", ".", "..", "a.b", "e30.e30.e30.e30", "e30=.e30.e30", " e30.e30.e30"])
    func `anything but a compact token is refused`(text: String) throws {
        #expect(try refusal { _ = try site.verify(text, in: draft) } == .tokenInvalid)
    }

    @Test func `a token has a size`() throws {
        let padding = String(repeating: "x", count: IDToken.maximumSize)
        #expect(try fault { $0["padding"] = .string(padding) } == IDTokenFault.malformed.reason)
    }
}
