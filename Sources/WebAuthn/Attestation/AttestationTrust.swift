public import Crypto
import Wire

/// Whom attestation certificates may lead to.
public struct AttestationTrust: Sendable {
    /// Trusted for every model.
    public let anchors: TrustAnchors
    /// Trusted for each model it names, with the roots that it names; `nil` without.
    public let metadata: AuthenticatorMetadata?

    public init(_ anchors: TrustAnchors = TrustAnchors([]), metadata: AuthenticatorMetadata? = nil) {
        self.anchors = anchors
        self.metadata = metadata
    }
}

extension AttestationTrust {
    /// What the metadata says of the authenticator.
    ///
    /// By its AAGUID, or without one by the keys of its certificates, as for U2F.
    ///
    /// - Throws: ``WebAuthnError/metadataUnavailable`` if there should be metadata and is none yet.
    func model(
        of finding: AttestationFinding,
        _ evidence: AttestationEvidence
    ) throws(WebAuthnError) -> AuthenticatorModel? {
        guard let metadata, !finding.trustPaths.isEmpty else { return nil }
        guard let blob = metadata.current else { throw .metadataUnavailable }
        if finding.coversAAGUID { return blob.model(aaguid: Base64URL(bytes: evidence.credential.aaguid)) }
        return finding.trustPaths.lazy.flatMap { [$0.leaf] + $0.others }
            .compactMap { blob.model(keyIdentifier: $0.keyIdentifier) }.first
    }

    /// Step 23: follows the trust paths; where there are anchors for the model, each has to lead to one.
    func assess(
        _ finding: AttestationFinding,
        of model: AuthenticatorModel?,
        at time: Int64
    ) throws(WebAuthnError) -> Attestation {
        let isKnown = !anchors.isEmpty || model != nil
        guard isKnown, !finding.trustPaths.isEmpty else {
            return Attestation(format: finding.format, type: finding.type, isTrusted: false)
        }
        if let status = model.flatMap({ metadata?.refusedStatus(of: $0) }) {
            throw .attestationUntrusted(.status(status))
        }
        for path in finding.trustPaths { try validate(path, model, at: time) }
        return Attestation(format: finding.format, type: finding.type, isTrusted: true)
    }

    private func validate(
        _ path: CertificateChain,
        _ model: AuthenticatorModel?,
        at time: Int64
    ) throws(WebAuthnError) {
        do throws(CertificateChainFault) {
            try path.validate(to: anchors, at: time)
        } catch {
            guard let model else { throw .attestationUntrusted(.chain(error)) }
            do { try path.validate(to: model.anchors, at: time) } catch { throw .attestationUntrusted(.chain(error)) }
        }
    }
}
