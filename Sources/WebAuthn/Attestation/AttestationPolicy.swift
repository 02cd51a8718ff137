public import Wire

/// What is asked of attestation statements.
public enum AttestationPolicy: Sendable {
    /// Statements are parsed and not verified: whoever asks for none gets none that means anything (§5.4.7).
    ///
    /// Except for self attestation, which clients leave as it is (§5.1.3): it needs no anchors, and shows that the
    /// authenticator has the key.
    case notWanted

    /// Statements are verified where there are any, and what is wrong with one refuses the registration.
    ///
    /// Where there are anchors for the model, certificates that lead to none of them refuse it too (§7.1 step 23: "If the
    /// attestation statement is not deemed trustworthy, the Relying Party SHOULD fail"); without anchors they are taken for
    /// what they are worth. No statement, and self attestation, are fine.
    case wanted(AttestationTrust)

    /// Certificates have to lead to an anchor, or there is no registration.
    case required(AttestationRequirements)
}

/// What an authenticator has to prove of itself.
public struct AttestationRequirements: Sendable {
    public let trust: AttestationTrust
    /// The models that are taken, 16 bytes each; `nil` for all.
    public let allowedAAGUIDs: Set<Base64URL>?
    /// Models that are not taken.
    public let deniedAAGUIDs: Set<Base64URL>
    /// The certification that a model must have by the metadata; `nil` for none.
    public let certification: CertificationLevel?

    /// - Parameter allowedAAGUIDs: An empty set takes no model at all.
    public init(
        _ trust: AttestationTrust,
        allowedAAGUIDs: Set<Base64URL>? = nil,
        deniedAAGUIDs: Set<Base64URL> = [],
        certification: CertificationLevel? = nil
    ) {
        self.trust = trust
        self.allowedAAGUIDs = allowedAAGUIDs
        self.deniedAAGUIDs = deniedAAGUIDs
        self.certification = certification
    }
}

extension AttestationPolicy {
    /// Verifies a statement and assesses what it says: steps 21 to 23 of §7.1.
    ///
    /// - Parameter time: When certificates have to be valid, in seconds since 1970.
    func assess(_ evidence: AttestationEvidence, at time: Int64) throws(WebAuthnError) -> Attestation {
        switch self {
        case .notWanted:
            guard evidence.statement.isSelfAttestation else { return try evidence.statement.unverifiedAttestation() }
            return try AttestationTrust().assess(try evidence.verified(), of: nil, at: time)
        case .wanted(let trust):
            let finding = try evidence.verified()
            return try trust.assess(finding, of: try trust.model(of: finding, evidence), at: time)
        case .required(let requirements):
            let finding = try evidence.verified()
            let model = try requirements.trust.model(of: finding, evidence)
            let attestation = try requirements.trust.assess(finding, of: model, at: time)
            guard attestation.isTrusted else { throw .attestationUntrusted(.noCertificates) }
            try requirements.check(finding.coversAAGUID ? evidence.credential.aaguid : Self.noAAGUID)
            try requirements.check(model, at: time)
            return attestation
        }
    }
}

extension AttestationPolicy {
    /// What an authenticator without an AAGUID says.
    private static let noAAGUID = [UInt8](repeating: 0, count: 16)
}

extension AttestationRequirements {
    fileprivate func check(_ bytes: [UInt8]) throws(WebAuthnError) {
        let aaguid = Base64URL(bytes: bytes)
        if let allowedAAGUIDs, !allowedAAGUIDs.contains(aaguid) { throw .attestationUntrusted(.modelNotAllowed) }
        if deniedAAGUIDs.contains(aaguid) { throw .attestationUntrusted(.modelDenied) }
    }

    fileprivate func check(_ model: AuthenticatorModel?, at time: Int64) throws(WebAuthnError) {
        guard let certification else { return }
        guard let level = model?.certification(at: time), level >= certification else {
            throw .attestationUntrusted(.notCertified)
        }
    }
}
