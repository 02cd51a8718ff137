import Crypto
import GatehouseKit
import GatehouseTesting
import PasskeyProvider
import Testing
import WebAuthn

/// What metadata means for passkeys: whom they are from, and what their attestation is worth.
struct PasskeyMetadataTests {
    private static let root = CertificateIssuer("Maker Root")
    private static let attester = SigningKey(.es256)
    private static let publisher = MetadataPublisher()
    private static let model = [UInt8](repeating: 7, count: 16)
    private static let icon = "data:image/png;base64,iVBORw0KGgo="

    /// An issue that knows the model.
    private static func issue(
        number: Int = 1,
        _ change: (inout MetadataDraft.Entry) -> Void = { _ in }
    ) throws -> MetadataBLOB {
        let entry = MetadataDraft.Entry(aaguid: model, roots: [root.root]) {
            $0.name = "Key 7"
            $0.icon = icon
            change(&$0)
        }
        return try MetadataBLOB(
            verifying: MetadataDraft([entry]) { $0.number = number }.signed(by: publisher),
            by: MetadataSigner(publisher.anchors, host: MetadataPublisher.host),
            at: 1_785_369_600
        )
    }

    private static func site(_ metadata: AuthenticatorMetadata) -> PasskeySite {
        let rules = AuthenticatorRules.all(.wanted(AttestationTrust(metadata: metadata)))
        return PasskeySite(policy: PasskeyPolicy(authenticators: rules, metadata: metadata))
    }

    private static var authenticator: SoftAuthenticator {
        let leaf = CertificateDraft(of: attester).issued(by: root)
        return .with {
            $0.aaguid = model
            $0.attest = { $0.packed(by: attester, [leaf]) }
        }
    }

    @Test func `a passkey of a known model has its name and picture`() throws {
        let site = Self.site(AuthenticatorMetadata(try Self.issue()))
        let record = try site.enrol(Self.authenticator, for: site.alice)
        let summary = try JSONValue(encoding: site.provider.summary(of: record, isCurrent: false))
        #expect(summary["provider"] == .string("Key 7") && summary["name"] == .string("Key 7"))
        #expect(summary["providerIcon"] == .string(Self.icon))
    }

    @Test func `an attestation counts until its model is reported`() throws {
        let metadata = AuthenticatorMetadata(try Self.issue())
        let site = Self.site(metadata)
        let authenticator = Self.authenticator
        try site.enrol(authenticator, for: site.alice)
        #expect(try site.signIn(authenticator).proof.attested)
        try metadata.replace(with: Self.issue(number: 2) { $0.reports = [("ATTESTATION_KEY_COMPROMISE", nil)] })
        #expect(try !site.signIn(authenticator).proof.attested)
        try metadata.replace(with: Self.issue(number: 3))
        #expect(try site.signIn(authenticator).proof.attested)
    }

    @Test func `metadata that isn't there yet is an outage, and not a refusal`() throws {
        let metadata = AuthenticatorMetadata()
        let site = Self.site(metadata)
        #expect {
            try site.enrol(Self.authenticator, for: site.alice)
        } throws: { error in
            if case SignInError.unavailable = error { true } else { false }
        }
        try metadata.replace(with: Self.issue())
        try site.enrol(Self.authenticator, for: site.alice)
    }
}
