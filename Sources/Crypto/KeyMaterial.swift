/// The numbers of a public key, apart from the algorithm it is for; not checked.
///
/// What a COSE key, a certificate and a TPM structure say of a key in their three ways becomes one value, so that they can
/// be compared.
public enum KeyMaterial: Equatable, Sendable {
    /// Coordinates, big-endian and as long as those of the curve.
    case elliptic(EllipticCurve, x: [UInt8], y: [UInt8])
    /// The encoding of a point of edwards25519, or of edwards448.
    case ed25519([UInt8])
    case ed448([UInt8])
    /// Big-endian without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
}
