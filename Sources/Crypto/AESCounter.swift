import COpenSSL

/// AES-256 in counter mode (NIST SP 800-38A §6.5), from a counter of zero.
///
/// No authentication: only to check what others made with it.
public enum AESCounter {
    /// - Parameter key: 32 bytes.
    /// - Returns: As many bytes as there are; `nil` for a key of another length.
    public static func encrypt(_ bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard key.count == 32, let size = Int32(exactly: bytes.count), let context = unsafe EVP_CIPHER_CTX_new() else {
            return nil
        }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let counter = [UInt8](repeating: 0, count: 16)
        var output = [UInt8](repeating: 0, count: bytes.count + 16)
        var count: Int32 = 0
        guard unsafe EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nil, key, counter) == 1,
            unsafe EVP_EncryptUpdate(context, &output, &count, bytes, size) == 1, count == size
        else { return nil }
        return Array(output.prefix(bytes.count))
    }
}
