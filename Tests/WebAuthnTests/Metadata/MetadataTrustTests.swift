import Crypto
import GatehouseTesting
import Testing
import WebAuthn
import Wire

/// What metadata makes of attestations.
struct MetadataTrustTests {
    let site = MetadataSite()
    let maker = AttestationSite()
    private static let other = [UInt8](repeating: 9, count: 16)

    /// The model of the maker's authenticators.
    private func entry(_ change: (inout MetadataDraft.Entry) -> Void = { _ in }) -> MetadataDraft.Entry {
        .init(aaguid: AttestationSite.aaguid, roots: [maker.root.root], change)
    }

    /// The maker's site with trust from metadata alone.
    private func requiring(
        _ metadata: AuthenticatorMetadata,
        certification: CertificationLevel? = nil
    ) -> AttestationSite {
        var maker = maker
        maker.site.attestation = .required(
            AttestationRequirements(AttestationTrust(metadata: metadata), certification: certification)
        )
        return maker
    }

    private func wanting(_ metadata: AuthenticatorMetadata, _ anchors: TrustAnchors = TrustAnchors([]))
        -> AttestationSite
    {
        var maker = maker
        maker.site.attestation = .wanted(AttestationTrust(anchors, metadata: metadata))
        return maker
    }

    @Test func `certificates that lead to a root of the model are trusted`() throws {
        let maker = requiring(try site.metadata(entry()))
        #expect(try maker.register([maker.leaf()]).attestation.isTrusted)
        #expect(throws: WebAuthnError.attestationUntrusted(.chain(.untrusted))) {
            try maker.register([maker.leaf(by: CertificateIssuer("Stranger"))])
        }
    }

    @Test func `a root is trusted for its own model only`() throws {
        let rival = CertificateIssuer("Rival Root")
        let metadata = try site.metadata(
            entry { $0.roots = [rival.root] },
            .init(aaguid: Self.other, roots: [maker.root.root])
        )
        let maker = requiring(metadata)
        #expect(throws: WebAuthnError.attestationUntrusted(.chain(.untrusted))) { try maker.register([maker.leaf()]) }
        #expect(try maker.register([maker.leaf(by: rival)]).attestation.isTrusted)
    }

    @Test func `a model that the metadata doesn't know has no trust from it`() throws {
        let metadata = try site.metadata(.init(aaguid: Self.other, roots: [maker.root.root]))
        let required = requiring(metadata)
        #expect(throws: WebAuthnError.attestationUntrusted(.noCertificates)) { try required.register([maker.leaf()]) }
        #expect(try !wanting(metadata).register([maker.leaf()]).attestation.isTrusted)
        #expect(try wanting(metadata, maker.anchors).register([maker.leaf()]).attestation.isTrusted)
    }

    @Test func `roots of one's own are trusted beside those of the model`() throws {
        let own = CertificateIssuer("Own Root")
        let anchors = TrustAnchors([try Certificate(der: own.root)])
        let maker = wanting(try site.metadata(entry()), anchors)
        #expect(try maker.register([maker.leaf()]).attestation.isTrusted)
        #expect(try maker.register([maker.leaf(by: own)]).attestation.isTrusted)
        #expect(throws: WebAuthnError.attestationUntrusted(.chain(.untrusted))) {
            try maker.register([maker.leaf(by: CertificateIssuer("Stranger"))])
        }
    }

    @Test(arguments: AuthenticatorStatus.compromised.map(\.rawValue))
    func `a compromised model is refused, whatever was reported since`(status: String) throws {
        let reports = [(status, "2024-01-01"), ("FIDO_CERTIFIED_L3", "2025-01-01")]
        let metadata = try site.metadata(entry { $0.reports = reports })
        let fault = WebAuthnError.attestationUntrusted(.status(AuthenticatorStatus(rawValue: status)))
        for maker in [requiring(metadata), wanting(metadata), wanting(metadata, maker.anchors)] {
            #expect(throws: fault) { try maker.register([maker.leaf()]) }
        }
    }

    @Test func `which reports make a model untrusted is a choice`() throws {
        let retired = entry { $0.reports = [("RETIRED", nil), ("SOMETHING_NEW", nil)] }
        #expect(throws: Never.self) { try requiring(try site.metadata(retired)).register([maker.leaf()]) }
        let strict = requiring(try site.metadata(retired, refusing: [.retired]))
        #expect(throws: WebAuthnError.attestationUntrusted(.status(.retired))) { try strict.register([maker.leaf()]) }
        let lenient = requiring(try site.metadata(entry { $0.reports = [("REVOKED", nil)] }, refusing: []))
        #expect(throws: Never.self) { try lenient.register([maker.leaf()]) }
    }

    @Test(arguments: [
        ("FIDO_CERTIFIED_L1", CertificationLevel.l1, true), ("FIDO_CERTIFIED_L1plus", .l1, true),
        ("FIDO_CERTIFIED_L3plus", .l3Plus, true), ("FIDO_CERTIFIED", .functional, true),
        ("FIDO_CERTIFIED", .l1, false), ("FIDO_CERTIFIED_L1", .l2, false), ("NOT_FIDO_CERTIFIED", .functional, false),
        ("UPDATE_AVAILABLE", .functional, false),
    ])
    func `a level of certification can be asked for`(status: String, level: CertificationLevel, passes: Bool) throws {
        let maker = requiring(try site.metadata(entry { $0.reports = [(status, "2024-01-01")] }), certification: level)
        if passes {
            #expect(try maker.register([maker.leaf()]).attestation.isTrusted)
        } else {
            #expect(throws: WebAuthnError.attestationUntrusted(.notCertified)) { try maker.register([maker.leaf()]) }
        }
    }

    @Test func `a model that only roots of one's own vouch for is not certified`() throws {
        var maker = maker
        let metadata = try site.metadata(.init(aaguid: Self.other))
        let trust = AttestationTrust(maker.anchors, metadata: metadata)
        maker.site.attestation = .required(AttestationRequirements(trust, certification: .functional))
        #expect(throws: WebAuthnError.attestationUntrusted(.notCertified)) { try maker.register([maker.leaf()]) }
    }

    @Test func `a U2F authenticator is found by the key of its certificate`() throws {
        let leaf = maker.leaf()
        let identifier = try Certificate(der: leaf).keyIdentifier
        let point = maker.attester.publicBytes
        #expect(identifier == HashFunction.sha1.hash(point))
        let known = MetadataDraft.Entry(roots: [maker.root.root]) {
            $0.keyIdentifiers = [identifier.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()]
        }
        let attester = maker.attester
        let required = requiring(try site.metadata(known))
        #expect(try required.register { $0.u2f(by: attester, [leaf]) }.attestation.isTrusted)
        // A U2F statement doesn't vouch for an AAGUID.
        let claimed = requiring(try site.metadata(entry()))
        #expect(throws: WebAuthnError.attestationUntrusted(.noCertificates)) {
            try claimed.register { $0.u2f(by: attester, [leaf]) }
        }
    }

    @Test func `without an issue nothing can be said of certificates, and nothing is held against those who have none`()
        throws
    {
        let pending = AuthenticatorMetadata()
        for maker in [requiring(pending), wanting(pending, maker.anchors)] {
            #expect(throws: WebAuthnError.metadataUnavailable) { try maker.register([maker.leaf()]) }
        }
        #expect(try !wanting(pending).register { $0.packedSelf() }.attestation.isTrusted)
        try pending.replace(with: site.issue(MetadataDraft([entry()])))
        #expect(try requiring(pending).register([maker.leaf()]).attestation.isTrusted)
    }
}
