/// What is reported of a model (FIDO Metadata Service v3.0 §3.1.4, with the values that v3.1 added).
///
/// Values that aren't named here are kept, and mean nothing.
public struct AuthenticatorStatus: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let userVerificationBypass = AuthenticatorStatus(rawValue: "USER_VERIFICATION_BYPASS")
    public static let attestationKeyCompromise = AuthenticatorStatus(rawValue: "ATTESTATION_KEY_COMPROMISE")
    public static let userKeyRemoteCompromise = AuthenticatorStatus(rawValue: "USER_KEY_REMOTE_COMPROMISE")
    public static let userKeyPhysicalCompromise = AuthenticatorStatus(rawValue: "USER_KEY_PHYSICAL_COMPROMISE")
    public static let revoked = AuthenticatorStatus(rawValue: "REVOKED")
    /// Newer software mends what was reported before; whether an authenticator has it, nobody can tell.
    public static let updateAvailable = AuthenticatorStatus(rawValue: "UPDATE_AVAILABLE")
    /// No longer sold or maintained.
    public static let retired = AuthenticatorStatus(rawValue: "RETIRED")
    public static let selfAssertionSubmitted = AuthenticatorStatus(rawValue: "SELF_ASSERTION_SUBMITTED")
    public static let notCertified = AuthenticatorStatus(rawValue: "NOT_FIDO_CERTIFIED")

    /// Those after which an authenticator's word or its keys are worth nothing.
    public static let compromised: Set<AuthenticatorStatus> = [
        .userVerificationBypass, .attestationKeyCompromise, .userKeyRemoteCompromise, .userKeyPhysicalCompromise,
        .revoked,
    ]

    /// The level of a certification; `nil` for other reports.
    public var certification: CertificationLevel? { Self.levels[rawValue] }

    /// Whether it says something about certification: that there is one, or none.
    var isCertification: Bool { certification != nil || self == .notCertified }

    private static let levels: [String: CertificationLevel] = [
        "FIDO_CERTIFIED": .functional, "FIDO_CERTIFIED_L1": .l1, "FIDO_CERTIFIED_L1plus": .l1Plus,
        "FIDO_CERTIFIED_L2": .l2, "FIDO_CERTIFIED_L2plus": .l2Plus, "FIDO_CERTIFIED_L3": .l3,
        "FIDO_CERTIFIED_L3plus": .l3Plus,
    ]
}

/// How well the FIDO Alliance found the keys of a model to be protected.
public enum CertificationLevel: Int, Comparable, CaseIterable, Sendable {
    /// It works as specified; nothing is said of its security.
    case functional
    case l1, l1Plus, l2, l2Plus, l3, l3Plus

    public static func < (left: CertificationLevel, right: CertificationLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}
