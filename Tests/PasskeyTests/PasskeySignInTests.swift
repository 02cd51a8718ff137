import GatehouseKit
import GatehouseTesting
import PasskeyProvider
import Testing
import WebAuthn
import Wire

struct PasskeySignInTests {
    let site = PasskeySite()
    let authenticator = SoftAuthenticator()

    @Test(arguments: COSEAlgorithm.defaults)
    func `a passkey of every algorithm is enrolled and signs in`(algorithm: COSEAlgorithm) throws {
        let site = PasskeySite(policy: PasskeyPolicy(algorithms: [algorithm]))
        let record = try site.enrol(authenticator, for: site.alice)
        for draft in [CeremonyDraft(), .named("alice"), .of(site.alice), CeremonyDraft()] {
            let evidence = try site.signIn(authenticator, in: draft)
            #expect(evidence.account == site.alice.id && evidence.credential == record.id)
        }
    }

    @Test func `a verified user proves two factors`() throws {
        try site.enrol(authenticator, for: site.alice)
        let expected = Proof(
            factors: [.possession, .inherence],
            phishingResistant: true,
            userVerified: true,
            deviceBound: true
        )
        #expect(try site.signIn(authenticator).proof == expected)
    }

    @Test func `without user verification a passkey is one factor`() throws {
        let authenticator = SoftAuthenticator.with { $0.verifiesUser = false }
        try site.enrol(authenticator, for: site.alice)
        let proof = try site.signIn(authenticator).proof
        #expect(proof.factors == .possession && proof.phishingResistant && !proof.userVerified)
    }

    @Test func `a passkey that may be backed up isn't bound to its device`() throws {
        let authenticator = SoftAuthenticator.with { $0.backupEligible = true }
        try site.enrol(authenticator, for: site.alice)
        #expect(try !site.signIn(authenticator).proof.deviceBound)
    }

    // MARK: Whose passkey

    @Test func `an unknown passkey is told so, with its ID`() throws {
        let record = try site.enrol(authenticator, for: site.alice)
        site.vault.remove(record.id)
        let expected = Refusal(
            .credentialUnknown,
            "no such passkey",
            remedy: .unknownCredential(id: Base64URL(bytes: record.key))
        )
        #expect(throws: SignInError.refused(expected)) { try site.signIn(authenticator) }
    }

    @Test func `someone else's passkey proves nothing under a name`() throws {
        try site.enrol(authenticator, for: site.bob)
        try site.enrol(SoftAuthenticator(), for: site.alice)
        for name in ["alice", "nobody"] {
            #expect(try site.refusal(authenticator, in: .named(name), ignoringList: true) == .credentialRejected)
        }
    }

    @Test func `a step-up takes the passkeys of its account only`() throws {
        try site.enrol(authenticator, for: site.bob)
        let draft = CeremonyDraft.of(site.alice)
        #expect(try site.refusal(authenticator, in: draft, ignoringList: true) == .ceremonyAccountMismatch)
    }

    @Test func `a response without user handle needs a ceremony that knows the account`() throws {
        try site.enrol(authenticator, for: site.alice)
        let anonymous = Alterations { $0.assertion = { $0.response.userHandle = nil } }
        #expect(try site.refusal(authenticator, altering: anonymous) == .credentialRejected)
        #expect(try site.refusal(authenticator, in: .named("alice"), altering: anonymous) == nil)
        #expect(try site.refusal(authenticator, in: .of(site.alice), altering: anonymous) == nil)
    }

    @Test func `a response with the user handle of another account is refused`() throws {
        try site.enrol(authenticator, for: site.alice)
        let handle = Base64URL(bytes: site.bob.userHandle).text
        let alteration = Alterations { $0.assertion = { $0.response.userHandle = handle } }
        #expect(try site.refusal(authenticator, altering: alteration) == .credentialRejected)
    }

    // MARK: What is checked

    static let faults: [(ProblemCode, Alterations)] = [
        (.challengeMismatch, Alterations { $0.setClientData("type", to: #""webauthn.create""#) }),
        (.challengeMismatch, Alterations { $0.setClientData("type", to: #""payment.get""#) }),
        (.challengeMismatch, Alterations { $0.setClientData("challenge", to: #""AAAA""#) }),
        (.originMismatch, Alterations { $0.setClientData("origin", to: #""https://example.test""#) }),
        (.originMismatch, Alterations { $0.setClientData("crossOrigin", to: "true") }),
        (.malformedCredential, Alterations { $0.setClientData("origin", to: nil) }),
        (.malformedCredential, Alterations { $0.clientDataJSON = { $0.append(0x7B) } }),
        (.malformedCredential, Alterations { $0.authenticatorData = { $0.removeLast() } }),
        (.rpIDMismatch, Alterations { $0.authenticatorData = { $0[0] ^= 1 } }),
        (.userPresenceRequired, Alterations { $0.flags = { $0 &= ~0x01 } }),
        (.backupStateInvalid, Alterations { $0.flags = { $0 |= 0x10 } }),
        (.backupStateInvalid, Alterations { $0.flags = { $0 |= 0x08 } }),
        (.signatureInvalid, Alterations { $0.signature = { $0[$0.count - 1] ^= 1 } }),
        (.signatureInvalid, Alterations { $0.signature = { $0 = [] } }),
    ]

    @Test(arguments: faults.indices)
    func `each fault has its code in a discoverable ceremony, and one code under a name`(index: Int) throws {
        let (code, alterations) = Self.faults[index]
        try site.enrol(authenticator, for: site.alice)
        #expect(try site.refusal(authenticator, altering: alterations) == code)
        let named = try site.refusal(authenticator, in: .named("alice"), altering: alterations)
        #expect(named == (code == .malformedCredential ? code : .credentialRejected))
    }

    @Test func `user verification that is required is insisted on`() throws {
        let site = PasskeySite(policy: PasskeyPolicy(userVerification: .required))
        let absent = Alterations { $0.flags = { $0 &= ~0x04 } }
        #expect(throws: SignInError.self) { try site.enrol(authenticator, for: site.alice, altering: absent) }
        try site.enrol(authenticator, for: site.alice)
        #expect(try site.refusal(authenticator, altering: absent) == .userVerificationRequired)
        #expect(try site.refusal(authenticator) == nil)
    }
}
