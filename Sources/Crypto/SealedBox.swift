import COpenSSL

/// Secrets at rest: AES-256-GCM (NIST SP 800-38D) with a nonce at random.
///
/// One key bears 2³² boxes before nonces become likely to meet (§8.3): more than there are things to keep.
public struct SealedBox: Sendable {
    public static let keySize = 32
    private static let nonceSize = 12
    private static let tagSize = 16

    private let key: [UInt8]

    /// - Returns: `nil` unless the key has 32 bytes.
    public init?(key: [UInt8]) {
        guard key.count == Self.keySize else { return nil }
        self.key = key
    }

    /// - Parameter context: What the box is for; it opens for nothing else.
    /// - Returns: the nonce, the ciphertext and the tag, in this order; `nil` if libcrypto has no memory.
    public func seal(_ plain: [UInt8], for context: [UInt8]) -> [UInt8]? {
        let nonce = Random.bytes(Self.nonceSize)
        guard let size = Int32(exactly: plain.count), let contextSize = Int32(exactly: context.count),
            let state = unsafe EVP_CIPHER_CTX_new()
        else { return nil }
        defer { unsafe EVP_CIPHER_CTX_free(state) }
        var output = [UInt8](repeating: 0, count: plain.count)
        var tag = [UInt8](repeating: 0, count: Self.tagSize)
        var count: Int32 = 0
        guard unsafe EVP_EncryptInit_ex(state, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            unsafe EVP_EncryptUpdate(state, nil, &count, context, contextSize) == 1,
            unsafe EVP_EncryptUpdate(state, &output, &count, plain, size) == 1, count == size,
            unsafe EVP_EncryptFinal_ex(state, nil, &count) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_GCM_GET_TAG, Int32(Self.tagSize), &tag) == 1
        else { return nil }
        return nonce + output + tag
    }

    /// - Returns: `nil` for a box that was sealed with another key or for something else, or was changed.
    public func open(_ box: [UInt8], for context: [UInt8]) -> [UInt8]? {
        guard box.count >= Self.nonceSize + Self.tagSize, let contextSize = Int32(exactly: context.count) else {
            return nil
        }
        let nonce = Array(box.prefix(Self.nonceSize))
        let sealed = Array(box.dropFirst(Self.nonceSize).dropLast(Self.tagSize))
        var tag = Array(box.suffix(Self.tagSize))
        guard let size = Int32(exactly: sealed.count), let state = unsafe EVP_CIPHER_CTX_new() else { return nil }
        defer { unsafe EVP_CIPHER_CTX_free(state) }
        var output = [UInt8](repeating: 0, count: sealed.count)
        var count: Int32 = 0
        guard unsafe EVP_DecryptInit_ex(state, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            unsafe EVP_DecryptUpdate(state, nil, &count, context, contextSize) == 1,
            unsafe EVP_DecryptUpdate(state, &output, &count, sealed, size) == 1, count == size,
            unsafe EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_GCM_SET_TAG, Int32(Self.tagSize), &tag) == 1,
            unsafe EVP_DecryptFinal_ex(state, nil, &count) == 1
        else { return nil }
        return output
    }
}
