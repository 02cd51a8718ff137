import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import PasskeyProvider
import Testing
import WebAuthn
import Wire

/// What a sign-in leaves behind.
struct PasskeyRecordTests {
    let site = PasskeySite()

    @Test func `a counter that rose has to be stored`() throws {
        let authenticator = SoftAuthenticator()
        try site.enrol(authenticator, for: site.alice)
        let change = try #require(try site.signIn(authenticator).change)
        #expect(change.isEssential && change.version == 0)
        #expect(try site.signIn(authenticator).change?.version == 1)
    }

    @Test func `of two sign-ins at once with a counter one is too late`() throws {
        let authenticator = SoftAuthenticator()
        try site.enrol(authenticator, for: site.alice)
        let drafts = [CeremonyDraft(), CeremonyDraft()]
        let evidence = try drafts.map { try site.verify(site.answer(of: authenticator, in: $0), in: $0) }
        #expect(evidence.map { site.vault.apply($0) } == [true, false])
    }

    @Test func `a passkey that doesn't count changes nothing, so that sign-ins don't collide`() throws {
        let authenticator = SoftAuthenticator.with { $0.counts = false }
        try site.enrol(authenticator, for: site.alice)
        for _ in 0..<3 { #expect(try site.signIn(authenticator).change == nil) }
    }

    @Test func `a counter that went back is refused`() throws {
        let authenticator = SoftAuthenticator()
        try site.enrol(authenticator, for: site.alice)
        try site.signIn(authenticator)
        let back = Alterations { $0.signCount = { $0 = 1 } }
        #expect(try site.refusal(authenticator, altering: back) == .counterRegressed)
    }

    @Test func `a backup state that changed is kept, and can wait`() throws {
        let authenticator = SoftAuthenticator.with {
            $0.backupEligible = true
            $0.counts = false
        }
        let record = try site.enrol(authenticator, for: site.alice)
        #expect(try summary(of: record)["backedUp"] == .bool(false))
        let backedUp = Alterations { $0.flags = { $0 |= 0x10 } }
        #expect(try site.signIn(authenticator, altering: backedUp).change?.isEssential == false)
        #expect(try summary(of: site.vault.records[0])["backedUp"] == .bool(true))
    }

    @Test func `a record from before the flags were kept adopts them`() throws {
        let authenticator = SoftAuthenticator.with { $0.backupEligible = true }
        let record = try site.enrol(authenticator, for: site.alice)
        var payload = try JSONValue(parsing: Data(record.payload))
        payload["backupEligible"] = nil
        payload["backupState"] = nil
        site.vault.replacePayload(of: record.id, with: [UInt8](try payload.encoded))
        let first = try site.signIn(authenticator)
        #expect(!first.proof.deviceBound)
        #expect(
            try site.refusal(authenticator, altering: Alterations { $0.flags = { $0 &= ~0x08 } }) == .backupStateInvalid
        )
    }

    @Test(arguments: [[], Array("{}".utf8), Array("not JSON".utf8)])
    func `a damaged record is our fault and nobody else's`(payload: [UInt8]) throws {
        let authenticator = SoftAuthenticator()
        let record = try site.enrol(authenticator, for: site.alice)
        let draft = CeremonyDraft()
        let answer = try site.answer(of: authenticator, in: draft)
        site.vault.replacePayload(of: record.id, with: payload)
        #expect(throws: SignInError.unavailable(ProviderFault("decode passkey", code: 0))) {
            try site.verify(answer, in: draft)
        }
    }

    // MARK: Summaries and signals

    private func summary(of record: GatehouseKit.CredentialRecord) throws -> JSONValue {
        try JSONValue(encoding: site.provider.summary(of: record, isCurrent: false))
    }

    @Test func `a summary has every member`() throws {
        let record = try site.enrol(SoftAuthenticator(), for: site.alice)
        let expected = JSONValue.object([
            "id": .string(record.id.text), "name": .string("Passkey"), "provider": .null,
            "providerIcon": .null, "createdAt": .string("2023-11-14T22:13:20.000Z"), "lastUsedAt": .null,
            "transports": .array([.string("internal"), .string("hybrid")]), "backupEligible": .bool(false),
            "backedUp": .bool(false), "deviceBound": .bool(true), "discoverable": .bool(true),
            "warnings": .array([]),
        ])
        #expect(try summary(of: record) == expected)
    }

    @Test func `a passkey is named for who keeps it`() throws {
        let authenticator = SoftAuthenticator.with {
            $0.aaguid = [
                0xEA, 0x9B, 0x8D, 0x66, 0x4D, 0x01, 0x1D, 0x21, 0x3C, 0xE4, 0xB6, 0xB4, 0x8C, 0xB5, 0x75, 0xD4,
            ]
        }
        let summary = try summary(of: site.enrol(authenticator, for: site.alice))
        #expect(summary["provider"] == .string("Google Password Manager"))
        #expect(summary["name"] == .string("Google Password Manager"))
    }

    @Test func `signals list what the account has`() throws {
        let records = try [SoftAuthenticator(), SoftAuthenticator()].map { try site.enrol($0, for: site.alice) }
        let signals = site.provider.signals(for: site.alice, records: records)
        let expected = JSONValue.object([
            "rpId": .string("auth.example.test"), "userId": .string(Base64URL(bytes: site.alice.userHandle).text),
            "allAcceptedCredentialIds": .array(records.map { .string(Base64URL(bytes: $0.key).text) }),
            "name": .string("alice"), "displayName": .string("ALICE"),
        ])
        #expect(try JSONValue(encoding: signals) == expected)
    }
}
