import GatehouseKit
import GatehouseTesting
import Testing
import Wire

@testable import OpenIDConnectProvider

struct TokenKeyTests {
    let draft = CeremonyDraft()
    private typealias Publisher = KeyPublisher

    /// Why a token signed with the shared RSA key is refused, with these keys published; `nil` if it is taken.
    private func fault(publishing keys: [JSONValue], named id: String = KeyPublisher.keyID) throws -> Refusal.Reason? {
        let site = TokenSite()
        try site.link(site.alice)
        site.publisher.publish(keys)
        site.clock.advance(by: .days(2))
        let token = try site.token(draft, header: ["kid": .string(id)]) {
            $0["exp"] = .number(Double(TokenSite.now + 172_900))
        }
        return try reason { _ = try site.verify(token, in: draft) }
    }

    @Test func `the key is chosen by its ID, wherever it stands`() throws {
        let others = [SigningKey(.rs256), SigningKey(.rs256)]
        let site = TokenSite()
        let sets = zip(["a", "b"], others).map { id, key in
            Publisher.rsa(id) { $0["n"] = .string(Base64URL(bytes: key.modulus).text) }
        }
        site.publisher.publish(sets + [Publisher.rsaKey])
        try site.link(site.alice)
        for (id, key) in zip(["a", "b", Publisher.keyID], others + [.sharedRSA]) {
            let token = try site.publisher.token(TokenSite.claims(draft), header: ["kid": .string(id)], key: key)
            #expect(try site.verify(token, in: draft).account == site.alice.id)
        }
        let crossed = try site.publisher.token(TokenSite.claims(draft), header: ["kid": .string("a")], key: others[1])
        #expect(try reason { _ = try site.verify(crossed, in: draft) } == IDTokenFault.signature.reason)
    }

    @Test func `of two keys with one ID either may have signed`() throws {
        let other = Publisher.rsa(Publisher.keyID) {
            $0["n"] = .string(Base64URL(bytes: SigningKey(.rs256).modulus).text)
        }
        #expect(try fault(publishing: [other, Publisher.rsaKey]) == nil)
        #expect(try fault(publishing: [Publisher.rsaKey, other]) == nil)
        #expect(try fault(publishing: [Publisher.rsaKey, Publisher.rsaKey]) == nil)
        #expect(try fault(publishing: [other]) == IDTokenFault.signature.reason)
    }

    @Test func `a key for something else signs nothing`() throws {
        let spare = Publisher.rsa("spare")
        func published(_ change: (inout JSONValue) -> Void) throws -> Refusal.Reason? {
            try fault(publishing: [spare, Publisher.rsa(Publisher.keyID, change)])
        }
        #expect(try published { $0["use"] = .string("enc") } == IDTokenFault.key.reason)
        #expect(try published { $0["use"] = .number(1) } == IDTokenFault.key.reason)
        #expect(try published { $0["alg"] = .string("RS384") } == IDTokenFault.key.reason)
        #expect(try published { $0["key_ops"] = .array([.string("encrypt")]) } == IDTokenFault.key.reason)
        #expect(try published { $0["kid"] = nil } == IDTokenFault.key.reason)
        #expect(try published { $0["kty"] = .string("oct") } == IDTokenFault.key.reason)
        #expect(
            try published {
                $0["use"] = nil; $0["alg"] = nil
            } == nil
        )
        #expect(try published { $0["key_ops"] = .array([.string("verify")]) } == nil)
    }

    @Test func `a key of another kind under the same ID is no obstacle, and no way in`() throws {
        let elliptic = Publisher.elliptic(Publisher.keyID, SigningKey(.es256))
        #expect(try fault(publishing: [elliptic, Publisher.rsaKey]) == nil)
        #expect(try fault(publishing: [elliptic, Publisher.rsa("spare")]) == IDTokenFault.key.reason)
    }

    @Test(arguments: [("n", "AQAB"), ("n", ""), ("n", "===="), ("e", "AQ"), ("e", "Ag"), ("e", "")])
    func `an unsound key is left out`(member: String, value: String) throws {
        let unsound = Publisher.rsa(Publisher.keyID) { $0[member] = .string(value) }
        #expect(try fault(publishing: [unsound, Publisher.rsa("spare")]) == IDTokenFault.key.reason)
    }

    @Test func `ES256 is taken where it is configured, with signatures in the form of JOSE`() throws {
        let site = TokenSite(kind: try #require(CredentialKind(issuerNamed: "example")), algorithms: [.es256])
        let key = SigningKey(.es256)
        site.publisher.publish([Publisher.elliptic("e", key), Publisher.rsaKey])
        let header: [String: JSONValue] = ["alg": .string("ES256"), "kid": .string("e")]
        let enrolment = CeremonyDraft.of(site.alice)
        let first = try site.publisher.token(TokenSite.claims(enrolment), header: header, key: key)
        site.vault.store(try site.enrol(first, of: site.alice, in: enrolment), of: site.alice)
        let good = try site.publisher.token(TokenSite.claims(draft), header: header, key: key)
        #expect(try site.verify(good, in: draft).account == site.alice.id)
        #expect(try reason { _ = try site.verify(site.token(draft), in: draft) } == IDTokenFault.algorithm.reason)
        let parts = good.split(separator: ".").map(String.init)
        let der = Base64URL(bytes: key.sign(Array("\(parts[0]).\(parts[1])".utf8))).text
        let inDER = "\(parts[0]).\(parts[1]).\(der)"
        #expect(try reason { _ = try site.verify(inDER, in: draft) } == IDTokenFault.signature.reason)
    }

    @Test(arguments: ["", "{}", "[]", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[1,null,"x"]}"#, #"{"keys":[{}]}"#])
    func `what holds no key is no key set`(text: String) {
        #expect(TokenKeySet(parsing: Array(text.utf8)) == nil)
    }

    @Test func `a key set has a size`() {
        let many = (0...TokenKeySet.maximumCount).map { Publisher.rsa("\($0)") }
        #expect(TokenKeySet(parsing: Publisher.set(Array(many.dropLast(33)))) != nil)
        #expect(TokenKeySet(parsing: Publisher.set(many)) == nil)
        let padding = Array(repeating: UInt8(ascii: " "), count: TokenKeySet.maximumSize)
        #expect(TokenKeySet(parsing: Publisher.set([Publisher.rsaKey]) + padding) == nil)
    }
}
