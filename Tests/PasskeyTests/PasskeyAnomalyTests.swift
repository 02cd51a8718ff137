import Crypto
import GatehouseKit
import GatehouseTesting
import PasskeyProvider
import Testing
import WebAuthn

/// What a passkey that may be copied or changed leaves behind, refused or not.
struct PasskeyAnomalyTests {
    private static let synced = Alterations { $0.flags = { $0 |= 0x18 } }
    private static let copied = Alterations { $0.signCount = { $0 = 1 } }

    private let authenticator = SoftAuthenticator()

    /// A site where alice has a passkey that was used once.
    private func site(_ policy: PasskeyPolicy = PasskeyPolicy()) throws -> PasskeySite {
        let site = PasskeySite(policy: policy)
        try site.enrol(authenticator, for: site.alice)
        try site.signIn(authenticator)
        return site
    }

    private func refusal(
        at site: PasskeySite,
        in draft: CeremonyDraft = CeremonyDraft(),
        _ alterations: Alterations
    ) throws -> Refusal {
        do {
            try site.signIn(authenticator, in: draft, altering: alterations)
        } catch SignInError.refused(let refusal) { return refusal }
        throw ProviderFault("refuse", code: 0)
    }

    private func warnings(of record: GatehouseKit.CredentialRecord, at site: PasskeySite) throws -> JSONValue? {
        try JSONValue(encoding: site.provider.summary(of: record, isCurrent: false))["warnings"]
    }

    @Test(arguments: [CeremonyDraft(), .named("alice")])
    func `a refusal says whose passkey it was, and flags it`(draft: CeremonyDraft) throws {
        for (alterations, anomaly) in [
            (Self.copied, CredentialAnomaly.counterRegressed), (Self.synced, .backupEligibilityChanged),
        ] {
            let site = try site()
            let record = site.vault.records[0]
            let finding = try #require(try refusal(at: site, in: draft, alterations).finding)
            #expect(finding.account == site.alice.id && finding.credential == record.id)
            let change = try #require(finding.change)
            #expect(finding.anomaly == anomaly && !change.isEssential)
            site.vault.replacePayload(of: record.id, with: change.payload, ifVersion: change.version)
            let flagged = site.vault.records[0]
            #expect(try site.provider.anomalies(of: flagged) == [anomaly])
            #expect(try warnings(of: flagged, at: site) == .array([.string(anomaly.rawValue)]))
            #expect(try refusal(at: site, alterations).finding?.change == nil)
        }
    }

    @Test func `a refused counter moves nothing`() throws {
        let site = try site()
        let finding = try #require(try refusal(at: site, Self.copied).finding)
        site.vault.replacePayload(of: finding.credential, with: try #require(finding.change).payload)
        #expect(
            try site.refusal(authenticator, altering: Alterations { $0.signCount = { $0 = 2 } }) == .counterRegressed
        )
        #expect(try site.refusal(authenticator) == nil)
    }

    @Test func `other refusals flag nothing`() throws {
        let site = try site()
        #expect(try refusal(at: site, Alterations { $0.signature = { $0 = [] } }).finding == nil)
        #expect(try refusal(at: site, Alterations { $0.flags = { $0 |= 0x10 } }).finding == nil)
        let forged = Alterations {
            $0.flags = { $0 |= 0x18 }
            $0.signature = { $0 = [] }
        }
        #expect(try refusal(at: site, forged).finding == nil)
    }

    @Test func `where counters are flagged the sign-in goes on, and says so`() throws {
        let site = try site(PasskeyPolicy(counterRegression: .flag))
        let evidence = try site.signIn(authenticator, altering: Self.copied)
        #expect(evidence.anomalies == [.counterRegressed] && evidence.change?.isEssential == false)
        #expect(!evidence.proof.deviceBound && evidence.proof.userVerified)
        #expect(try warnings(of: site.vault.records[0], at: site) == .array([.string("counter_regressed")]))
        let strict = PasskeySite(site, policy: PasskeyPolicy())
        #expect(try strict.refusal(authenticator, altering: Self.copied) == .counterRegressed)
    }

    @Test func `a flagged passkey is neither bound to its device nor attested`() throws {
        let issuer = CertificateIssuer("Maker Root")
        let attester = SigningKey(.es256)
        let leaf = CertificateDraft(of: attester).issued(by: issuer)
        let authenticator = SoftAuthenticator.with { $0.attest = { $0.packed(by: attester, [leaf]) } }
        let anchors = TrustAnchors([try Certificate(der: issuer.root)])
        let rules = AuthenticatorRules(AuthenticatorRule(attestation: .wanted(AttestationTrust(anchors))))
        let policy = PasskeyPolicy(authenticators: rules, backupEligibilityChange: .flag)
        let site = PasskeySite(policy: policy)
        try site.enrol(authenticator, for: site.alice)
        let before = try site.signIn(authenticator).proof
        #expect(before.deviceBound && before.attested)
        for alterations in [Self.synced, Alterations()] {
            let proof = try site.signIn(authenticator, altering: alterations).proof
            #expect(!proof.deviceBound && !proof.attested)
        }
    }

    @Test func `a synced passkey that says it isn't any more is no device-bound one`() throws {
        let authenticator = SoftAuthenticator.with { $0.backupEligible = true }
        let site = PasskeySite(policy: PasskeyPolicy(backupEligibilityChange: .flag))
        try site.enrol(authenticator, for: site.alice)
        let evidence = try site.signIn(authenticator, altering: Alterations { $0.flags = { $0 &= ~0x08 } })
        #expect(evidence.anomalies == [.backupEligibilityChanged] && !evidence.proof.deviceBound)
        let summary = try JSONValue(encoding: site.provider.summary(of: site.vault.records[0], isCurrent: false))
        #expect(summary["deviceBound"] == .bool(false) && summary["backupEligible"] == .bool(true))
    }

    @Test(
        arguments: [(true, .bool(true)), (false, .bool(false)), (nil, .null)] as [(Bool?, JSONValue)]
    )
    func `a summary says whether the passkey is discoverable`(said: Bool?, expected: JSONValue) throws {
        let site = PasskeySite()
        let alterations = Alterations {
            $0.registration = { answer in
                if let said {
                    answer.clientExtensionResults.credProps?.rk = said
                } else {
                    answer.clientExtensionResults.credProps = nil
                }
            }
        }
        let record = try site.enrol(authenticator, for: site.alice, altering: alterations)
        let summary = try JSONValue(encoding: site.provider.summary(of: record, isCurrent: false))
        #expect(summary["discoverable"] == expected)
    }

    // MARK: A policy that changes

    @Test func `a registration is held to the algorithms that its options offered`() throws {
        let former = PasskeySite(policy: PasskeyPolicy(algorithms: [.es256, .rs256]))
        let site = PasskeySite(former, policy: PasskeyPolicy(algorithms: [.rs256]))
        let ecdsa = SoftAuthenticator.with { $0.algorithms = [.es256] }
        try site.finish(former.begin(site.alice), ecdsa, for: site.alice)
        let begun = try former.begin(site.alice)
        let eddsa = SoftAuthenticator.with { $0.algorithms = [.edDSA] }
        var offered = begun
        offered.options.pubKeyCredParams = [CredentialParameters(alg: .edDSA)]
        let expected = Refusal(.unsupportedAlgorithm, "a key of an algorithm that was not offered")
        #expect(throws: SignInError.refused(expected)) { try site.finish(offered, eddsa, for: site.alice) }
    }

    @Test func `a passkey signs in when its algorithm is offered no more`() throws {
        let former = PasskeySite()
        try former.enrol(authenticator, for: former.alice)
        let site = PasskeySite(former, policy: PasskeyPolicy(algorithms: [.rs256]))
        #expect(try site.refusal(authenticator) == nil)
    }
}
