import GatehouseTesting
import Testing
import WebAuthn
import Wire

struct ClientDataTests {
    private static let plain = #"{"type":"webauthn.get","challenge":"AQ","origin":"https://a.test"}"#
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func with(_ member: String) -> [UInt8] {
        Array("\(plain.dropLast()),\(member)}".utf8)
    }

    @Test(arguments: [
        #""crossOrigin":false"#, #""tokenBinding":{"status":"supported"}"#, #""tokenBinding":{"status":"present"}"#,
        #""tokenBinding":{"status":"not-supported"}"#, #""näme":"🔑 \ud83d\ude00""#, #""x":1e999999999"#,
        #""hashAlgorithm":"SHA-256","clientExtensions":{}"#,
    ])
    func `members that are not looked at do no harm`(member: String) throws {
        let data = try CollectedClientData(parsing: Self.with(member))
        #expect(data.type == "webauthn.get" && data.challenge == "AQ" && data.origin == "https://a.test")
        #expect(!data.crossOrigin && data.topOrigin == nil)
    }

    @Test func `one byte order mark is stripped and a second is refused`() throws {
        _ = try CollectedClientData(parsing: Self.mark + Array(Self.plain.utf8))
        #expect(throws: WebAuthnError.self) {
            try CollectedClientData(parsing: Self.mark + Self.mark + Array(Self.plain.utf8))
        }
    }

    @Test(arguments: [
        #""challenge":"AA""#, #""type":"x""#, #""origin":"https://evil.test""#,
        #""crossOrigin":true,"crossOrigin":false"#,
        #""\u0074ype":"webauthn.get""#,
    ])
    func `a member that occurs twice is refused`(member: String) {
        #expect(throws: WebAuthnError.self) { try CollectedClientData(parsing: Self.with(member)) }
    }

    @Test(arguments: ["null", "42", "[]", "{}", "{", "", #""{\"type\":1}""#])
    func `what is no client data is refused`(json: String) {
        #expect(throws: WebAuthnError.self) { try CollectedClientData(parsing: Array(json.utf8)) }
    }

    @Test func `an assertion over a byte order mark or over white space is accepted`() throws {
        let site = Site()
        let authenticator = SoftAuthenticator()
        var record = try site.register(authenticator).credential
        for prefix in [Self.mark, Array("\t\n ".utf8)] {
            let alterations = Alterations { $0.clientDataJSON = { $0 = prefix + $0 } }
            record = try site.signIn(authenticator, by: record, altering: alterations).credential
        }
    }
}

struct OriginTests {
    private static let first = "android:apk-key-hash:Kz8_-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLM"
    private static let second = "android:apk-key-hash:0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"

    private static var site: Site {
        var site = Site()
        site.relyingParty = RelyingParty(id: "auth.example.test", origins: [Site.origin, first, second])
        return site
    }

    @Test(arguments: [Site.origin, first, second])
    func `each configured origin passes in both ceremonies`(origin: String) throws {
        var site = Self.site
        site.origin = origin
        let authenticator = SoftAuthenticator()
        let record = try site.register(authenticator).credential
        _ = try site.signIn(authenticator, by: record)
    }

    @Test(arguments: [
        "android:apk-key-hash:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", first.lowercased(), first + "=",
        first.replacing("_", with: "/").replacing("-abc", with: "+abc"), "android:apk-key-hash:",
        first.replacing("K", with: "\u{212A}"), "https://AUTH.example.test", "https://auth.example.test:443",
        "https://auth.example.test/", "https://auth.example.test?x", "https://auth.example.test#x",
        "https://evil.auth.example.test", "https://auth.example.test.evil.test", "http://auth.example.test",
        "https://auth.example.test@evil.test", "https://evil.test/https://auth.example.test", "auth.example.test",
        "https://auth.example.test-evil.test", "https://example.test", "https://authxexample.test", "null", "", "*",
        "ios:bundle-id:com.evil.app", "https://auth\u{3002}example.test", "https://\u{430}uth.example.test",
    ])
    func `any other spelling is refused`(origin: String) throws {
        var site = Self.site
        site.origin = origin
        #expect(throws: WebAuthnError.originMismatch) { try site.register() }
    }

    @Test(arguments: [nil, "https://top.test", "https://other.test"] as [String?])
    func `a frame passes in the pages that are listed, in both ceremonies`(top: String?) throws {
        let frame = Alterations {
            $0.clientData = { members in
                members.removeAll { $0.name == "crossOrigin" }
                members.append(("crossOrigin", "true"))
                if let top { members.append(("topOrigin", "\"\(top)\"")) }
            }
        }
        var site = Self.site
        let authenticator = SoftAuthenticator()
        let record = try site.register(authenticator).credential
        #expect(throws: WebAuthnError.crossOriginRefused) { try site.register(altering: frame) }
        site.relyingParty = RelyingParty(
            id: "auth.example.test",
            origins: [Site.origin],
            framing: .allowed(topOrigins: ["https://top.test"])
        )
        guard top != "https://other.test" else {
            #expect(throws: WebAuthnError.topOriginRefused) { try site.register(altering: frame) }
            #expect(throws: WebAuthnError.topOriginRefused) {
                try site.signIn(authenticator, by: record, altering: frame)
            }
            return
        }
        _ = try site.register(altering: frame)
        _ = try site.signIn(authenticator, by: record, altering: frame)
    }
}
