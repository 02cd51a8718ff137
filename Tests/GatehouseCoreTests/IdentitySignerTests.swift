import Crypto
import Foundation
import GatehouseKit
import GatehouseTesting
import Testing
import Wire

@testable import GatehouseCore

struct IdentitySignerTests {
    private let gateway: Gateway
    private let signer: IdentitySigner

    init() throws {
        gateway = try Gateway()
        signer = try IdentitySigner(issuer: "https://login.test", rotation: .hours(1), at: gateway.clock.now)
    }

    private struct Claims: Decodable {
        let iss: String
        let aud: String
        let sub: String
        let iat: Int64
        let exp: Int64
        let preferred_username: String
        let groups: [String]
        let acr: String
        let amr: [String]
        let methods: [String]
        let auth_time: Int64?
    }

    private struct Header: Decodable {
        let alg: String
        let kid: String
        let typ: String
    }

    private func caller(_ name: String = "lee") throws -> Caller {
        try gateway.add(name)
        return .session(try gateway.session(of: name))
    }

    private func token(_ caller: Caller, _ host: String = "app.test") throws -> String {
        try signer.token(for: caller, at: host, now: gateway.clock.now)
    }

    /// Its claims, if a key that is published now verifies it.
    private func verified(_ token: String) throws -> Claims? {
        let parts = try CompactJWS(parsing: Array(token.utf8))
        let header = try JSONDecoder().decode(Header.self, from: Data(parts.header))
        let keys = try signer.publishedKeys(at: gateway.clock.now)
        guard header.alg == "ES256", header.typ == "JWT", let jwk = keys.first(where: { $0.kid == header.kid }) else {
            return nil
        }
        let x = try #require(Base64URL(jwk.x)).bytes
        let y = try #require(Base64URL(jwk.y)).bytes
        let key = try P256PublicKey(x: x, y: y)
        guard key.isValid(rawSignature: parts.signature, over: parts.signedBytes) else { return nil }
        return try JSONDecoder().decode(Claims.self, from: Data(parts.payload))
    }

    @Test func `it says who, to whom, by what and until when`() throws {
        let caller = try caller()
        let claims = try #require(try verified(try token(caller)))
        let now = gateway.clock.now.milliseconds / 1_000
        #expect(claims.iss == "https://login.test" && claims.aud == "app.test")
        #expect(claims.sub == caller.account.id.text && claims.preferred_username == "lee")
        #expect(claims.iat == now && claims.exp == now + 60 && claims.auth_time == now)
        #expect(claims.acr == "aal1" && claims.amr == ["pwd"] && claims.methods == ["password"])
        #expect(claims.groups == caller.account.groups)
    }

    @Test func `it is signed once for half of its life, and for each host apart`() throws {
        let caller = try caller()
        let first = try token(caller)
        gateway.clock.advance(by: .seconds(29))
        #expect(try token(caller) == first)
        let other = try token(caller, "other.test")
        #expect(try verified(other)?.aud == "other.test")
        #expect(try token(caller) == first)
        gateway.clock.advance(by: .seconds(1))
        #expect(try token(caller) != first)
    }

    @Test func `many hosts are each told their own`() throws {
        let caller = try caller()
        for number in 0..<40 { #expect(try verified(try token(caller, "a\(number).test"))?.aud == "a\(number).test") }
    }

    @Test func `it outlives no session`() throws {
        let caller = try caller()
        gateway.clock.advance(by: caller.expiresAt - .seconds(10) - gateway.clock.now)
        let claims = try #require(try verified(try token(caller)))
        #expect(claims.exp - claims.iat == 10)
    }

    @Test func `each caller is told of nobody else`() throws {
        let (lee, kim) = (try caller("lee"), try caller("kim"))
        #expect(try verified(try token(lee))?.preferred_username == "lee")
        #expect(try verified(try token(kim))?.preferred_username == "kim")
    }

    @Test func `a machine signed in to nothing`() throws {
        let account = try gateway.add("lee")
        let end = gateway.clock.now + .hours(1)
        let script = Caller.machine(MachineCaller(kind: .accessToken, account: account, expiresAt: end))
        let claims = try #require(try verified(try token(script)))
        #expect(claims.amr == [] && claims.methods == ["token"] && claims.auth_time == nil && claims.acr == "aal1")
        let password = Caller.machine(MachineCaller(kind: .basic, account: account, expiresAt: end))
        #expect(try verified(try token(password))?.amr == ["pwd"])
    }

    @Test func `a key is published before it signs, and after`() throws {
        let caller = try caller()
        let before = try signer.publishedKeys(at: gateway.clock.now)
        #expect(before.count == 2)
        gateway.clock.advance(by: .seconds(3_590))
        let old = try token(caller)
        gateway.clock.advance(by: .seconds(10))
        let after = try signer.publishedKeys(at: gateway.clock.now)
        #expect(after.count == 3 && after.contains(before[0]) && after[0] == before[1])
        #expect(try verified(old) != nil)
        gateway.clock.advance(by: .seconds(20))
        let new = try token(caller)
        #expect(new != old && before.contains { new.hasPrefix(IdentityClaims.header(keyID: $0.kid)) })
        gateway.clock.advance(by: .hours(1))
        #expect(try !signer.publishedKeys(at: gateway.clock.now).contains(before[0]))
        #expect(try verified(old) == nil)
    }

    @Test func `after a long silence a key is published before it signs all the same`() throws {
        let caller = try caller()
        let published = try signer.publishedKeys(at: gateway.clock.now)
        gateway.clock.advance(by: .hours(23))
        let late = try token(caller)
        #expect(published.contains { late.hasPrefix(IdentityClaims.header(keyID: $0.kid)) })
    }

    @Test func `keys are named by their thumbprints, as RFC 7638 makes them`() {
        // The EC key of RFC 7517 §A.1, and its thumbprint as Python's hashlib makes it.
        let key = PublishedKey(
            x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
        )
        #expect(key.kid == "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s")
    }

    @Test func `what was proved is named as RFC 8176 does`() {
        let passkey = Proof(factors: [.possession, .inherence], phishingResistant: true, userVerified: true)
        let attested = Proof(factors: [.possession, .inherence], userVerified: true, deviceBound: true, attested: true)
        let password = Proof(factors: .knowledge)
        #expect([password].methodReferences == ["pwd"])
        #expect([passkey].methodReferences == ["pop", "user", "mfa"])
        #expect([attested].methodReferences == ["hwk", "user", "mfa"])
        #expect([password, Proof(factors: .possession)].methodReferences == ["pwd", "pop", "mfa"])
        #expect([Proof(factors: [])].methodReferences == [])
    }
}
