import COpenSSL

/// Ed25519 (RFC 8032): EdDSA of COSE and JOSE with that curve.
@safe
public final class Ed25519PublicKey: PublicKey, @unchecked Sendable {
    // Sound: an EVP_PKEY is only read once it is made.
    private let key: OpaquePointer

    /// - Parameter encoding: 32 bytes: the y coordinate, little-endian, and the sign of x in the top bit.
    /// - Throws: ``KeyFault`` unless it is the one encoding of a point of the curve whose order isn't small. libcrypto
    ///   looks at none of this before the first signature.
    public init(encoding: [UInt8]) throws(KeyFault) {
        guard encoding.count == 32 else { throw .length(encoding.count) }
        try EdwardsCurve.check(encoding)
        guard let key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, encoding, encoding.count) else {
            ERR_clear_error()
            throw .notOnCurve
        }
        unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(key) }

    public func isValid(signature: [UInt8], over message: [UInt8]) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        let verdict =
            unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        if !verdict { ERR_clear_error() }
        return verdict
    }
}
