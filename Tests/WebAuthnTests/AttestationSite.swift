import Crypto
import GatehouseTesting
import WebAuthn
import Wire

/// A maker of authenticators, its certificates, and a site that trusts its root.
struct AttestationSite {
    static let aaguid: [UInt8] = Array(1...16)

    let root = CertificateIssuer("Maker Root")
    let attester: SigningKey
    var site = Site()

    init(attester: SigningKey = SigningKey(.es256)) {
        self.attester = attester
        site.settings.aaguid = Self.aaguid
        site.attestation = .required(AttestationRequirements(AttestationTrust(anchors)))
    }

    var anchors: TrustAnchors { TrustAnchors([try? Certificate(der: root.root)].compactMap(\.self)) }

    /// The attestation certificate, changed before it is signed.
    func leaf(
        by issuer: CertificateIssuer? = nil,
        _ change: (inout CertificateDraft) -> Void = { _ in }
    ) -> [UInt8] {
        CertificateDraft(of: attester, change).issued(by: issuer ?? root)
    }

    /// Registers with a packed statement and these certificates.
    @discardableResult
    func register(_ chain: [[UInt8]]) throws -> VerifiedRegistration {
        try register { [attester] in $0.packed(by: attester, chain) }
    }

    /// Registers with whatever statement.
    @discardableResult
    func register(
        _ attest: @escaping @Sendable (AttestationDraft) -> AttestationDraft.Statement
    ) throws -> VerifiedRegistration {
        var settings = site.settings
        settings.attest = attest
        return try site.register(SoftAuthenticator(settings))
    }
}

extension AttestationDraft {
    /// "compound" of several statements.
    func compound(_ parts: Statement...) -> Statement {
        let items = parts.map { part in
            CBORItem.map([(.text("fmt"), .text(part.format)), (.text("attStmt"), part.statement)])
        }
        return ("compound", .array(items))
    }
}
