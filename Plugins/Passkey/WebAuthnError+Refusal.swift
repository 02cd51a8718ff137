import Crypto
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
        case .metadataUnavailable:
            .unavailable(ProviderFault("assess an attestation without metadata", code: 0, kind: .dependency))
        case .attestationFormatUnknown: .refusing(.attestationInvalid, "an attestation of an unknown format")
        case .attestationFormatRetired: .refusing(.attestationInvalid, "an attestation of a format that was retired")
        case .attestationInvalid: .refusing(.attestationInvalid, "the attestation is not one of its format")
        case .attestationUnsound(let fault): .refusing(.attestationInvalid, fault.reason)
        case .attestationUntrusted(let fault): .refusing(.attestationUntrusted, fault.reason)
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
        case .backupRefused: (.backupStateInvalid, "a passkey that can leave its device")
        case .userHandleMissing: (.credentialRejected, "the response names no account")
        case .userHandleMismatch: (.credentialRejected, "the response names another account than the passkey's")
        case .signatureInvalid: (.signatureInvalid, "the signature is wrong")
        case .counterRegressed: (.counterRegressed, "the signature counter did not rise")
        default: (.credentialRejected, "the passkey was not allowed")
        }
    }
}

extension AttestationFault {
    fileprivate var reason: Refusal.Reason {
        switch self {
        case .member: "a member of the attestation is missing or wrong"
        case .certificates: "the certificates of the attestation can't be read"
        case .requirement: "the attestation certificate is not one of its format"
        case .algorithm: "the attestation is of another algorithm than its key, or of an unknown one"
        case .signature: "the signature of the attestation is wrong"
        case .keyMismatch: "the attestation is for another key"
        case .aaguidMismatch: "the attestation certificate is for another AAGUID"
        case .nonceMismatch: "the attestation was made for another registration"
        case .tpm: "a TPM structure of the attestation is wrong"
        case .keyDescription: "the key that Android describes doesn't suit a passkey"
        case .compound: "the attestation has no sound parts"
        }
    }
}

extension AttestationTrustFault {
    fileprivate var reason: Refusal.Reason {
        switch self {
        case .noCertificates: "no certificates vouch for the authenticator"
        case .chain(.expired): "an attestation certificate has expired"
        case .chain(.notYetValid): "an attestation certificate is not valid yet"
        case .chain: "the attestation certificates lead to no trusted root"
        case .modelNotAllowed: "the model of the authenticator is not on the list"
        case .modelDenied: "the model of the authenticator is not accepted"
        case .status: "the model of the authenticator is reported as compromised or revoked"
        case .notCertified: "the model of the authenticator is not certified as it has to be"
        }
    }
}

extension SignInError {
    fileprivate static func refusing(_ code: ProblemCode, _ reason: Refusal.Reason) -> SignInError {
        .refused(Refusal(code, reason))
    }
}
