public import Crypto

/// Why an attestation statement is not a correct one (WebAuthn Level 3 §8, editor's draft of 2026-07-30).
public enum AttestationFault: Error, Equatable, Sendable {
    /// A member is missing, has another type than its format says, or is one of a method that was withdrawn.
    case member(AttestationMember)
    /// Certificates that can't be read, or too many of them.
    case certificates(CertificateChainFault)
    /// A certificate is not one that its format asks for.
    case requirement(CertificateRequirement)
    /// An algorithm that isn't verified, or that isn't the key's.
    case algorithm
    case signature
    /// The key in the statement is another than the credential's.
    case keyMismatch
    /// The statement was made for another AAGUID.
    case aaguidMismatch
    /// The statement was made for another challenge or other authenticator data.
    case nonceMismatch
    /// A TPM structure that can't be parsed, or isn't about this key.
    case tpm(TPMFault)
    /// What Android says of the key doesn't suit a credential.
    case keyDescription
    /// A compound statement of one part, of too many, or with another compound one in it.
    case compound
}

/// A member of an attestation statement.
public enum AttestationMember: String, Sendable {
    case alg, sig, x5c, ver, certInfo, pubArea, ecdaaKeyId
}

/// What a format asks of its attestation certificate (§8.2.1, §8.3.1, §8.4.1, §8.6, §8.8).
public enum CertificateRequirement: Equatable, Sendable {
    case version, subject, notAuthority, alternativeName, keyUsage, aaguidExtension, keyDescription, nonce, curve
    /// Exactly one certificate, where the format has room for no other.
    case count
}

/// What was wrong with a TPM structure (TPM 2.0 Library, Part 2).
public enum TPMFault: Equatable, Sendable {
    case publicArea, attestation, magic, type, name
}

/// Why a correct statement isn't trusted.
public enum AttestationTrustFault: Error, Equatable, Sendable {
    /// None, self attestation, or certificates that nobody was asked about.
    case noCertificates
    case chain(CertificateChainFault)
    case modelNotAllowed
    case modelDenied
    /// The metadata reports this of the model.
    case status(AuthenticatorStatus)
    /// The metadata doesn't know the model, or not as certified as is asked for.
    case notCertified
}
