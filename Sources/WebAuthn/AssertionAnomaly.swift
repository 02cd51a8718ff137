/// What a sound assertion may show that it shouldn't, and that is a signal but no proof.
///
/// What to do about it is the relying party's to say, with an ``AnomalyPolicy``.
public enum AssertionAnomaly: String, Codable, Sendable {
    /// The signature counter did not rise: the key may have been copied, the authenticator may malfunction, or two
    /// responses overtook each other.
    ///
    /// WebAuthn Level 3 §7.2 step 22 (`#sctn-verifying-assertion`) and §6.1.1 (`#sctn-sign-counter`), editor's draft of
    /// 2026-07-30.
    case counterRegressed

    /// The credential is eligible for backup now and was not before, or the other way round, which §6.1.3
    /// (`#sctn-credential-backup`) rules out.
    ///
    /// WebAuthn Level 3 §7.2 step 19 (`#sctn-verifying-assertion`), editor's draft of 2026-07-30.
    case backupEligibilityChanged
}

/// What becomes of an assertion with an ``AssertionAnomaly``.
public enum AnomalyPolicy: String, CaseIterable, Sendable {
    /// The assertion is refused, with the ``WebAuthnError`` of the same name.
    case refuse
    /// The assertion is taken; ``VerifiedAssertion/anomalies`` and the record say what was wrong with it.
    case flag
}

extension WebAuthnError {
    /// The anomaly that this error refuses; `nil` for every other reason.
    ///
    /// Thrown only for what the credential signed, so that the record can be flagged with it
    /// (``CredentialRecord/flag(_:)``): nobody else is able to bring that about.
    public var anomaly: AssertionAnomaly? {
        switch self {
        case .counterRegressed: .counterRegressed
        case .backupEligibilityChanged: .backupEligibilityChanged
        default: nil
        }
    }
}
