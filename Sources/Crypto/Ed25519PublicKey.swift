import COpenSSL

/// Ed25519 (RFC 8032): EdDSA of COSE and JOSE with that curve.
public struct Ed25519PublicKey: PublicKey {
    private let key: RawPublicKey

    /// - Parameters:
    ///   - encoding: 32 bytes: the y coordinate, little-endian, and the sign of x in the top bit.
    ///   - wasKey: Whether the same bytes made a key before. Whether there is such a point is then left to libcrypto, which
    ///     accepts no signature where there is none; everything else is checked again.
    /// - Throws: ``KeyFault`` unless it is the one encoding of a point of the curve whose order isn't small. libcrypto
    ///   looks at none of this before the first signature.
    public init(encoding: [UInt8], wasKey: Bool = false) throws(KeyFault) {
        guard encoding.count == 32 else { throw .length(encoding.count) }
        try EdwardsCurve.check(encoding, hasPoint: wasKey)
        key = try RawPublicKey(type: EVP_PKEY_ED25519, encoding: encoding)
    }

    public func isValid(signature: [UInt8], over message: [UInt8]) -> Bool {
        key.isValid(signature: signature, over: message)
    }
}
