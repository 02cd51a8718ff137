import GatehouseKit
import GatehouseTesting
import Testing

@testable import OpenIDConnectProvider

struct IdentityEnrollmentTests {
    let site = TokenSite()

    /// What linking with these claims vouches for.
    private func profile(
        at site: TokenSite? = nil,
        name: String? = nil,
        _ change: (inout JSONValue) -> Void
    ) throws -> VouchedProfile? {
        let site = site ?? self.site
        let draft = CeremonyDraft.of(site.alice)
        return try site.enrol(try site.token(draft, change), name: name, of: site.alice, in: draft).profile
    }

    @Test func `a token links to the ceremony's account, and answers no other ceremony`() throws {
        let draft = CeremonyDraft.of(site.alice)
        let token = try site.token(draft)
        let new = try site.enrol(token, of: site.alice, in: draft)
        #expect(new.key == Array("https://appleid.apple.com\u{0}001.alice".utf8))
        let other = CeremonyDraft.of(site.alice)
        #expect(try refusal { _ = try site.enrol(token, of: site.alice, in: other) } == .tokenInvalid)
    }

    @Test func `a subject is linked once`() throws {
        try site.link(site.alice)
        for account in [site.alice, site.bob] {
            let draft = CeremonyDraft.of(account)
            let token = try site.token(draft)
            #expect(try refusal { _ = try site.enrol(token, of: account, in: draft) } == .credentialAlreadyRegistered)
        }
    }

    @Test(arguments: [JSONValue.bool(true), .string("true")])
    func `an address counts that is verified and the person's own`(verified: JSONValue) throws {
        let email = JSONValue.string("alice@example.test")
        #expect(
            try profile {
                $0["email"] = email; $0["email_verified"] = verified
            }?.verifiedEmail == "alice@example.test"
        )
        for other in [JSONValue.bool(false), .string("false"), .string("TRUE"), .number(1), .null] {
            #expect(
                try profile {
                    $0["email"] = email; $0["email_verified"] = other
                }?.verifiedEmail == nil
            )
        }
        #expect(try profile { $0["email"] = email }?.verifiedEmail == nil)
        #expect(
            try profile {
                $0["email"] = email
                $0["email_verified"] = .bool(true)
                $0["is_private_email"] = verified
            }?.verifiedEmail == nil
        )
    }

    @Test func `an address of Apple's relay is nobody's own, said or not`() throws {
        let relayed = try profile {
            $0["email"] = .string("x7@PrivateRelay.AppleID.com")
            $0["email_verified"] = .bool(true)
        }
        #expect(relayed?.verifiedEmail == nil)
    }

    @Test func `an issuer that isn't trusted with addresses vouches for none`() throws {
        let site = TokenSite(trustsEmail: false)
        let vouched = try profile(at: site) {
            $0["email"] = .string("admin@example.test")
            $0["email_verified"] = .bool(true)
        }
        #expect(vouched?.verifiedEmail == nil)
    }

    @Test func `the name beside the token goes before that within`() throws {
        #expect(try profile(name: "Alice A.") { $0["name"] = .string("Ann") }?.displayName == "Alice A.")
        #expect(try profile { $0["name"] = .string("Ann") }?.displayName == "Ann")
        #expect(try profile { _ in }?.displayName == nil)
    }

    @Test func `a summary has every member`() throws {
        let record = try site.link(site.alice) {
            $0["email"] = .string("x7@privaterelay.appleid.com")
            $0["is_private_email"] = .string("true")
        }
        let expected = JSONValue.object([
            "id": .string(record.id.text), "name": .string("x7@privaterelay.appleid.com"),
            "email": .string("x7@privaterelay.appleid.com"), "privateEmail": .bool(true), "mailDisabled": .bool(false),
            "createdAt": .string("2023-11-14T22:13:20.000Z"), "lastUsedAt": .null, "current": .bool(true),
        ])
        #expect(try JSONValue(encoding: site.provider.summary(of: record, isCurrent: true)) == expected)
    }

    @Test func `collections of several issuers stand beside each other`() throws {
        let example = TokenSite(kind: try #require(CredentialKind(issuerNamed: "example-2")))
        #expect(site.provider.collection.path == "apple-ids")
        #expect(example.provider.collection.path == "oidc/example-2")
    }
}
