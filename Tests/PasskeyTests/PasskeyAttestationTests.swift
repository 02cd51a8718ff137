import Crypto
import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import PasskeyProvider
import Testing
import WebAuthn

struct PasskeyAttestationTests {
    private static let root = CertificateIssuer("Maker Root")
    private static let attester = SigningKey(.es256)

    private static func anchors() throws -> TrustAnchors { TrustAnchors([try Certificate(der: root.root)]) }

    private static func required() throws -> AttestationPolicy {
        .required(AttestationRequirements(AttestationTrust(try anchors())))
    }

    /// An authenticator with a certificate by this issuer.
    private static func authenticator(by issuer: CertificateIssuer = root) -> SoftAuthenticator {
        let leaf = CertificateDraft(of: attester).issued(by: issuer)
        return .with { $0.attest = { $0.packed(by: attester, [leaf]) } }
    }

    private static func refusal(_ enrol: () throws -> Void) throws -> ProblemCode? {
        do {
            try enrol()
            return nil
        } catch SignInError.refused(let refusal) { return refusal.code }
    }

    @Test func `options ask for attestation exactly where it is wanted`() throws {
        let silent = PasskeySite()
        #expect(try silent.begin(silent.alice).options.attestation == .none)
        for policy in [.wanted(AttestationTrust()), try Self.required()] as [AttestationPolicy] {
            let site = PasskeySite(policy: PasskeyPolicy(authenticators: .all(policy)))
            #expect(try site.begin(site.alice).options.attestation == .direct)
        }
    }

    @Test func `a passkey counts as attested only where its certificates led to a root`() throws {
        let site = PasskeySite(
            policy: PasskeyPolicy(authenticators: .all(.wanted(AttestationTrust(try Self.anchors()))))
        )
        let attested = Self.authenticator()
        try site.enrol(attested, for: site.alice)
        #expect(try site.signIn(attested).proof.attested)
        let plain = SoftAuthenticator()
        try site.enrol(plain, for: site.bob)
        #expect(try !site.signIn(plain).proof.attested)
        let claimed = SoftAuthenticator.with { $0.attest = { $0.packedSelf() } }
        try site.enrol(claimed, for: site.bob)
        #expect(try !site.signIn(claimed).proof.attested)
    }

    @Test func `a passkey that was enrolled while nobody asked is not attested`() throws {
        let site = PasskeySite()
        let authenticator = Self.authenticator()
        try site.enrol(authenticator, for: site.alice)
        #expect(try !site.signIn(authenticator).proof.attested)
    }

    @Test func `an untrusted attestation and an unsound one are told apart`() throws {
        let site = PasskeySite(policy: PasskeyPolicy(authenticators: .all(try Self.required())))
        #expect(try Self.refusal { try site.enrol(SoftAuthenticator(), for: site.alice) } == .attestationUntrusted)
        let stranger = Self.authenticator(by: CertificateIssuer("Stranger"))
        #expect(try Self.refusal { try site.enrol(stranger, for: site.alice) } == .attestationUntrusted)
        let unsound = SoftAuthenticator.with { $0.attest = { _ in ("packed", .map([])) } }
        #expect(try Self.refusal { try site.enrol(unsound, for: site.alice) } == .attestationInvalid)
        #expect(try Self.refusal { try site.enrol(Self.authenticator(), for: site.alice) } == nil)
    }

    @Test func `a synced passkey is refused where only device-bound ones are taken`() throws {
        let site = PasskeySite(
            policy: PasskeyPolicy(authenticators: AuthenticatorRules(AuthenticatorRule(deviceBoundOnly: true)))
        )
        let synced = SoftAuthenticator.with { $0.backupEligible = true }
        #expect(try Self.refusal { try site.enrol(synced, for: site.alice) } == .backupStateInvalid)
        #expect(try Self.refusal { try site.enrol(SoftAuthenticator(), for: site.alice) } == nil)
    }

    @Test func `a group has a rule of its own`() throws {
        let strict = AuthenticatorRule(attestation: try Self.required(), deviceBoundOnly: true)
        let rules = AuthenticatorRules(groups: [("admin", AuthenticatorRule()), ("staff", strict)])
        let site = PasskeySite(policy: PasskeyPolicy(authenticators: rules))
        #expect(try site.begin(site.alice).options.attestation == .none)
        #expect(try site.begin(site.bob).options.attestation == .direct)
        #expect(try Self.refusal { try site.enrol(SoftAuthenticator(), for: site.alice) } == nil)
        #expect(try Self.refusal { try site.enrol(SoftAuthenticator(), for: site.bob) } == .attestationUntrusted)
        #expect(try Self.refusal { try site.enrol(Self.authenticator(), for: site.bob) } == nil)
    }

    @Test func `the first rule whose group an account is in decides`() throws {
        let rules = [("staff", AuthenticatorRule()), ("staff", AuthenticatorRule(attestation: try Self.required()))]
        let site = PasskeySite(policy: PasskeyPolicy(authenticators: AuthenticatorRules(groups: rules)))
        #expect(try Self.refusal { try site.enrol(SoftAuthenticator(), for: site.bob) } == nil)
    }
}

extension AuthenticatorRules {
    static func all(_ attestation: AttestationPolicy) -> AuthenticatorRules {
        AuthenticatorRules(AuthenticatorRule(attestation: attestation))
    }
}
