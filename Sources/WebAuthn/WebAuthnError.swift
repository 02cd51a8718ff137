public import Crypto
public import Wire

/// Why a response was refused: one case a reason.
///
/// Carries no bytes and no text of the response, so it is safe to log.
public enum WebAuthnError: Error, Equatable, Sendable {
    /// `clientDataJSON` is not UTF-8, not one JSON object, or names a member twice.
    case malformedClientData(WireFault)
    /// A member of the client data that is required is missing, or one has the wrong type.
    case invalidClientData(member: ClientDataMember)
    case malformedAuthenticatorData(WireFault)
    case malformedAttestationObject(WireFault)
    /// Made in the other ceremony, or in one that isn't ours.
    case wrongType
    case challengeMismatch
    case originMismatch
    /// Made in a frame inside another site's page.
    case crossOriginRefused
    /// Made in a frame inside a page that isn't on the list.
    case topOriginRefused
    case rpIDMismatch
    case userPresenceMissing
    case userVerificationMissing
    /// Backed up, yet not eligible for it.
    case backupStateInvalid
    /// Eligible for backup now and not at registration, or the other way round.
    case backupEligibilityChanged
    /// A registration without attested credential data.
    case attestedCredentialMissing
    /// An assertion with attested credential data.
    case attestedCredentialUnexpected
    case algorithmNotOffered
    case keyInvalid(COSEKeyFault)
    case attestationFormatUnknown
    /// SafetyNet, which Google shut down (§8.5): nothing can be verified of it.
    case attestationFormatRetired
    /// The attestation statement is not one of its format.
    case attestationInvalid
    /// The attestation statement is one of its format, and not a correct one.
    case attestationUnsound(AttestationFault)
    /// The attestation statement is correct, and not what policy asks for.
    case attestationUntrusted(AttestationTrustFault)
    /// There is no metadata yet to assess an attestation by: nothing is wrong with the response.
    case metadataUnavailable
    /// A credential that can leave its device, where that is not accepted.
    case backupRefused
    /// A credential ID of no bytes or of more than 1023.
    case credentialIDInvalid
    /// The credential ID beside the response is another than the one inside it, or than the record's.
    case credentialIDMismatch
    /// A credential that was not on the list the ceremony allowed.
    case credentialNotAllowed
    /// No user handle, where nothing else says whose credential it is.
    case userHandleMissing
    case userHandleMismatch
    case signatureInvalid
    /// The signature counter did not rise: a sign of a copied key, not proof of one.
    case counterRegressed
}

/// A member of the client data (§5.8.1).
public enum ClientDataMember: String, Sendable {
    case type, challenge, origin, crossOrigin, topOrigin
}

/// Why a COSE key was refused.
public enum COSEKeyFault: Error, Equatable, Sendable {
    /// Not one canonical CBOR item.
    case malformed(WireFault)
    /// Not a map, a parameter missing, of the wrong type, or one too many.
    case parameters
    /// An algorithm that this library doesn't verify.
    case unsupportedAlgorithm
    /// A key type or curve that isn't the algorithm's.
    case inconsistent
    /// Parameters in order, but no sound key.
    case unsound(KeyFault)
}
