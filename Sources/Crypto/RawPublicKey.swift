import COpenSSL

/// A key that libcrypto takes as it is encoded, for signatures over whole messages.
@safe
final class RawPublicKey: @unchecked Sendable {
    // Sound: an EVP_PKEY is only read once it is made.
    private let key: OpaquePointer

    /// - Parameter type: One of the `EVP_PKEY_` numbers.
    /// - Throws: ``KeyFault/notOnCurve`` if libcrypto doesn't take it; it checks the length and nothing else.
    init(type: Int32, encoding: [UInt8]) throws(KeyFault) {
        guard let key = unsafe EVP_PKEY_new_raw_public_key(type, nil, encoding, encoding.count) else {
            ERR_clear_error()
            throw .notOnCurve
        }
        unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(key) }

    func isValid(signature: [UInt8], over message: [UInt8]) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        let verdict =
            unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        if !verdict { ERR_clear_error() }
        return verdict
    }
}
