import GatehouseKit
import WebAuthn

extension WebAuthnError {
    /// What a client is told, and what the audit log.
    ///
    /// A response that was made in the other ceremony was understood, and answers something else than was asked: it goes
    /// with the challenges that don't match.
    var signInError: SignInError {
        switch self {
        case .malformedClientData: .refusing(.malformedCredential, "the client data is not one JSON object")
        case .invalidClientData: .refusing(.malformedCredential, "a member of the client data is missing or wrong")
        case .malformedAuthenticatorData: .refusing(.malformedCredential, "the authenticator data can't be parsed")
        case .malformedAttestationObject: .refusing(.malformedCredential, "the attestation object can't be parsed")
        case .attestedCredentialMissing: .refusing(.malformedCredential, "a registration without a credential")
        case .attestedCredentialUnexpected: .refusing(.malformedCredential, "an assertion with a new credential")
        case .credentialIDInvalid: .refusing(.malformedCredential, "a credential ID has 1 to 1023 bytes")
        case .credentialIDMismatch: .refusing(.malformedCredential, "the response names two credentials")
        case .keyInvalid(.unsupportedAlgorithm): .refusing(.unsupportedAlgorithm, "a key of an unknown algorithm")
        case .keyInvalid: .refusing(.malformedCredential, "the public key is not a sound one")
        case .algorithmNotOffered: .refusing(.unsupportedAlgorithm, "a key of an algorithm that was not offered")
        case .attestationFormatUnknown: .refusing(.attestationInvalid, "an attestation of an unknown format")
        case .attestationInvalid: .refusing(.attestationInvalid, "the attestation is not one of its format")
        default: .refusing(mismatch.code, mismatch.reason)
        }
    }

    /// What was understood, and doesn't match.
    private var mismatch: (code: ProblemCode, reason: Refusal.Reason) {
        switch self {
        case .wrongType: (.challengeMismatch, "made in the other ceremony")
        case .challengeMismatch: (.challengeMismatch, "made for another challenge")
        case .originMismatch: (.originMismatch, "made on another origin")
        case .crossOriginRefused, .topOriginRefused: (.originMismatch, "made in a frame of another site")
        case .rpIDMismatch: (.rpIDMismatch, "made for another relying party")
        case .userPresenceMissing: (.userPresenceRequired, "nobody was present")
        case .userVerificationMissing: (.userVerificationRequired, "the user was not verified")
        case .backupStateInvalid: (.backupStateInvalid, "backed up, yet not eligible for it")
        case .backupEligibilityChanged: (.backupStateInvalid, "the eligibility for backup changed")
        case .userHandleMissing: (.credentialRejected, "the response names no account")
        case .userHandleMismatch: (.credentialRejected, "the response names another account than the passkey's")
        case .signatureInvalid: (.signatureInvalid, "the signature is wrong")
        case .counterRegressed: (.counterRegressed, "the signature counter did not rise")
        default: (.credentialRejected, "the passkey was not allowed")
        }
    }
}

extension SignInError {
    fileprivate static func refusing(_ code: ProblemCode, _ reason: Refusal.Reason) -> SignInError {
        .refused(Refusal(code, reason))
    }
}
