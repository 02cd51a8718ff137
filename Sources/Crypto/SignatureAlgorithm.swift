/// A way of signing, with everything that verification depends on.
public enum SignatureAlgorithm: Equatable, Sendable {
    case ecdsa(EllipticCurve, HashFunction)
    case ed25519
    case ed448
    case rsaPKCS1(HashFunction)
    case rsaPSS(HashFunction)

    /// What is signed is this hash of the message; `nil` where the message itself is.
    public var hash: HashFunction? {
        switch self {
        case .ecdsa(_, let hash), .rsaPKCS1(let hash), .rsaPSS(let hash): hash
        case .ed25519, .ed448: nil
        }
    }

    /// Makes a checked key.
    ///
    /// - Parameter wasKey: Whether the same material made a key before, so that not all has to be checked again.
    /// - Returns: `nil` if the material is that of another kind of key or of another curve.
    /// - Throws: ``KeyFault`` if it is that of no sound key.
    public func publicKey(
        _ material: KeyMaterial,
        wasKey: Bool = false
    ) throws(KeyFault) -> (any PublicKey)? {
        switch (self, material) {
        case (.ecdsa(.p256, .sha256), .elliptic(.p256, let x, let y)): try P256PublicKey(x: x, y: y)
        case (.ecdsa(let curve, let hash), .elliptic(let named, let x, let y)) where curve == named:
            try ECDSAPublicKey(curve: curve, hash: hash, x: x, y: y)
        case (.ed25519, .ed25519(let encoding)): try Ed25519PublicKey(encoding: encoding, wasKey: wasKey)
        case (.ed448, .ed448(let encoding)): try Ed448PublicKey(encoding: encoding, wasKey: wasKey)
        case (.rsaPKCS1(let hash), .rsa(let modulus, let exponent)):
            try RSAPublicKey(modulus: modulus, exponent: exponent, scheme: .pkcs1(hash))
        case (.rsaPSS(let hash), .rsa(let modulus, let exponent)):
            try RSAPublicKey(modulus: modulus, exponent: exponent, scheme: .pss(hash))
        default: nil
        }
    }
}
