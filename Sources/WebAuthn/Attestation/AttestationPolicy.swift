public import Crypto
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
    /// Where there are anchors, certificates that lead to none of them refuse it too (§7.1 step 23: "If the attestation
    /// statement is not deemed trustworthy, the Relying Party SHOULD fail"); without anchors they are taken for what
    /// they are worth. No statement, and self attestation, are fine.
    case wanted(TrustAnchors)

    /// Certificates have to lead to an anchor, or there is no registration.
    case required(AttestationRequirements)
}

/// What an authenticator has to prove of itself.
public struct AttestationRequirements: Sendable {
    public let anchors: TrustAnchors
    /// The models that are taken, 16 bytes each; `nil` for all.
    public let allowedAAGUIDs: Set<Base64URL>?
    /// Models that are not taken.
    public let deniedAAGUIDs: Set<Base64URL>

    /// - Parameter allowedAAGUIDs: An empty set takes no model at all.
    public init(
        anchors: TrustAnchors,
        allowedAAGUIDs: Set<Base64URL>? = nil,
        deniedAAGUIDs: Set<Base64URL> = []
    ) {
        self.anchors = anchors
        self.allowedAAGUIDs = allowedAAGUIDs
        self.deniedAAGUIDs = deniedAAGUIDs
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
            return try evidence.verified().assessed(by: TrustAnchors([]), at: time)
        case .wanted(let anchors):
            return try evidence.verified().assessed(by: anchors, at: time)
        case .required(let requirements):
            let finding = try evidence.verified()
            let attestation = try finding.assessed(by: requirements.anchors, at: time)
            guard attestation.isTrusted else { throw .attestationUntrusted(.noCertificates) }
            try requirements.check(finding.coversAAGUID ? evidence.credential.aaguid : Self.noAAGUID)
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
}

/// What a verification procedure found: the outputs of §6.5.4.
struct AttestationFinding: Sendable {
    let format: AttestationFormat
    let type: AttestationType
    /// One for each statement that has certificates; several only in a compound one.
    let trustPaths: [CertificateChain]
    /// Whether what the certificates vouch for includes the AAGUID; if not, it counts as all zero.
    let coversAAGUID: Bool

    init(
        _ format: AttestationFormat,
        _ type: AttestationType,
        _ trustPaths: [CertificateChain] = [],
        coversAAGUID: Bool = true
    ) {
        self.format = format
        self.type = type
        self.trustPaths = trustPaths
        self.coversAAGUID = coversAAGUID
    }

    /// Step 23: follows the trust paths; where there are anchors, each has to lead to one.
    func assessed(by anchors: TrustAnchors, at time: Int64) throws(WebAuthnError) -> Attestation {
        guard !anchors.isEmpty, !trustPaths.isEmpty else {
            return Attestation(format: format, type: type, isTrusted: false)
        }
        for path in trustPaths {
            do { try path.validate(to: anchors, at: time) } catch { throw .attestationUntrusted(.chain(error)) }
        }
        return Attestation(format: format, type: type, isTrusted: true)
    }
}
