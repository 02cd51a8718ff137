/// The formats of attestation statements in the IANA registry (RFC 8809), by identifier.
public enum AttestationFormat: String, Codable, Sendable, CaseIterable {
    case none
    case packed
    case tpm
    case androidKey = "android-key"
    case androidSafetyNet = "android-safetynet"
    case fidoU2F = "fido-u2f"
    case apple
    case compound
}

/// Who vouches for an authenticator (WebAuthn Level 3 §6.5.5, `#sctn-attestation-types`, editor's draft of 2026-07-30).
public enum AttestationType: Equatable, Sendable {
    /// Nobody.
    case none
    /// A statement that nobody checked, and that is worth no more than none.
    case unverified
    /// The credential's own key, which proves that the authenticator has it and nothing more.
    case selfAttestation
    /// A key that many authenticators of a model share, or one that a certification authority certified; a statement
    /// doesn't tell them apart.
    case basic
    /// A key that a certification authority certified for this one authenticator.
    case attestationCA
    /// A certification authority that certified the credential's key itself.
    case anonymizationCA
}

/// What is known about the origin of an authenticator.
public struct Attestation: Equatable, Sendable {
    public let format: AttestationFormat
    public let type: AttestationType
    /// Whether certificates lead from the statement to an anchor of the policy, each valid at the time.
    ///
    /// Only then anything the authenticator says of itself is more than a claim.
    public let isTrusted: Bool

    /// Nothing is known, the AAGUID included.
    public static let none = Attestation(format: .none, type: .none, isTrusted: false)

    public static func unverified(_ format: AttestationFormat) -> Attestation {
        Attestation(format: format, type: .unverified, isTrusted: false)
    }
}
