import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import PasskeyProvider
import Testing
import WebAuthn
import Wire

struct PasskeyOptionsTests {
    let site = PasskeySite()

    @Test func `without a name there is no allow list`() throws {
        try site.enrol(SoftAuthenticator(), for: site.alice)
        let draft = CeremonyDraft()
        let offer = try JSONValue(encoding: site.provider.offer(to: draft.visitor, ceremony: draft.ceremony))
        let expected = JSONValue.object([
            "options": .object([
                "challenge": .string(Base64URL(bytes: draft.challenge.bytes).text),
                "rpId": .string("auth.example.test"), "timeout": .number(60_000),
                "userVerification": .string("preferred"),
            ])
        ])
        #expect(offer == expected)
    }

    @Test func `under a name the account's passkeys are listed, with their transports`() throws {
        let records = try [SoftAuthenticator(), SoftAuthenticator()].map { try site.enrol($0, for: site.alice) }
        let expected = records.map {
            PublicKeyCredentialDescriptor(id: Base64URL(bytes: $0.key), transports: ["internal", "hybrid"])
        }
        #expect(try site.options(in: .named("alice")).allowCredentials == expected)
        #expect(try site.options(in: .named("ALICE")).allowCredentials == expected)
        #expect(try site.options(in: .of(site.alice)).allowCredentials == expected)
    }

    @Test func `a step-up has no decoys`() throws {
        #expect(try site.options(in: .of(site.alice)).allowCredentials == nil)
    }

    // MARK: Decoys

    private func decoys(_ name: String, at site: PasskeySite) throws -> [PublicKeyCredentialDescriptor] {
        try #require(try site.options(in: .named(name)).allowCredentials)
    }

    @Test(arguments: ["nobody", "alice", "no body", "Nobody@Example.test"])
    func `a name without passkeys gets the same decoys every time`(name: String) throws {
        let decoys = try decoys(name, at: site)
        #expect((1...2).contains(decoys.count))
        #expect(try decoys == self.decoys(name, at: PasskeySite()))
        #expect(try decoys != self.decoys(name, at: PasskeySite(decoyKey: [1])))
        #expect(try decoys != self.decoys(name + "2", at: site))
    }

    @Test func `decoys are as varied as passkeys are`() throws {
        let lists = try (0..<200).map { try decoys("user\($0)", at: site) }
        #expect(Set(lists.map(\.count)) == [1, 2])
        #expect(Set(lists.joined().map { $0.id.bytes.count }) == [16, 20, 32])
        #expect(Set(lists.joined().map(\.transports)) == [["hybrid", "internal"], ["internal"]])
        #expect(Set(lists.joined().map(\.id)).count == lists.joined().count)
    }

    // MARK: Enrolment

    @Test func `creation options name the account and what it has already`() throws {
        let record = try site.enrol(SoftAuthenticator(), for: site.alice)
        let (options, draft) = try site.begin(site.alice)
        let challenge = Base64URL(bytes: draft.challenge.bytes).text
        let expected = """
            {"attestation":"none","authenticatorSelection":{"requireResidentKey":false,"residentKey":"preferred",\
            "userVerification":"preferred"},"challenge":"\(challenge)","excludeCredentials":[{"id":\
            "\(Base64URL(bytes: record.key).text)","transports":["internal","hybrid"],"type":"public-key"}],\
            "extensions":{"credProps":true},"pubKeyCredParams":[{"alg":-7,"type":"public-key"},\
            {"alg":-8,"type":"public-key"},{"alg":-257,"type":"public-key"}],\
            "rp":{"id":"auth.example.test","name":"Example"},"timeout":60000,\
            "user":{"displayName":"ALICE","id":"\(Base64URL(bytes: site.alice.userHandle).text)","name":"alice"}}
            """
        #expect(try String(decoding: JSONValue.encode(options), as: UTF8.self) == expected)
    }

    @Test func `hints stand in the options of both ceremonies`() throws {
        let site = PasskeySite(policy: PasskeyPolicy(hints: [.securityKey, .hybrid]))
        #expect(try site.begin(site.alice).options.hints == [.securityKey, .hybrid])
        #expect(try site.options(in: CeremonyDraft()).hints == [.securityKey, .hybrid])
    }

    @Test(
        arguments: [
            ([], nil, nil), ([.clientDevice], nil, .platform), ([.securityKey, .hybrid], nil, .crossPlatform),
            ([.clientDevice, .hybrid], nil, nil), ([.clientDevice], .crossPlatform, .crossPlatform),
        ] as [([PublicKeyCredentialHint], AuthenticatorAttachment?, AuthenticatorAttachment?)]
    )
    func `the attachment is the one that is configured, or the one that all hints mean`(
        hints: [PublicKeyCredentialHint],
        stated: AuthenticatorAttachment?,
        expected: AuthenticatorAttachment?
    ) throws {
        let site = PasskeySite(policy: PasskeyPolicy(authenticatorAttachment: stated, hints: hints))
        let selection = try #require(try site.begin(site.alice).options.authenticatorSelection)
        #expect(selection.authenticatorAttachment == expected)
    }

    @Test func `an authenticator is enrolled once`() throws {
        let authenticator = SoftAuthenticator()
        try site.enrol(authenticator, for: site.alice)
        #expect(throws: SoftAuthenticator.Failure.alreadyRegistered) {
            try site.enrol(authenticator, for: site.alice)
        }
    }

    @Test func `user presence is waived in a conditional creation, and in no other`() throws {
        let absent = Alterations { $0.flags = { $0 &= ~0x05 } }
        let expected = SignInError.refused(Refusal(.userPresenceRequired, "nobody was present"))
        #expect(throws: expected) { try site.enrol(SoftAuthenticator(), for: site.alice, altering: absent) }
        try site.enrol(SoftAuthenticator(), for: site.alice, mediation: .conditional, altering: absent)
        #expect(site.vault.records.count == 1)
    }

    @Test(arguments: [
        (ProblemCode.challengeMismatch, Alterations { $0.setClientData("type", to: #""webauthn.get""#) }),
        (.originMismatch, Alterations { $0.setClientData("origin", to: #""https://auth.example.test/""#) }),
        (.attestationInvalid, Alterations { $0.attestationObject = { $0.set(.text("fmt"), to: .text("zz")) } }),
        (.malformedCredential, Alterations { $0.attestationObject = { $0 = .raw([0x81, 0x81]) } }),
        (.malformedCredential, Alterations { $0.coseKey = { $0.set(.int(-2), to: .bytes([1])) } }),
        (.unsupportedAlgorithm, Alterations { $0.coseKey = { $0.set(.int(3), to: .int(-35)) } }),
    ])
    func `a registration that is wrong is refused with its code`(code: ProblemCode, alterations: Alterations) throws {
        do {
            try site.enrol(SoftAuthenticator(), for: site.alice, altering: alterations)
            Issue.record("accepted")
        } catch SignInError.refused(let refusal) { #expect(refusal.code == code) }
        #expect(site.vault.records.isEmpty)
    }
}
