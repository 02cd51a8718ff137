import COpenSSL

/// Keys made of passwords, at a cost.
public enum KeyDerivation {
    /// PBKDF2 with HMAC (RFC 8018 §5.2).
    ///
    /// - Parameters:
    ///   - iterations: At least 1.
    ///   - count: How many bytes to make.
    /// - Returns: `nil` if libcrypto can't.
    public static func pbkdf2(
        _ password: [UInt8],
        salt: [UInt8],
        iterations: Int,
        _ hash: HashFunction,
        count: Int
    ) -> [UInt8]? {
        guard let iterations = Int32(exactly: iterations), let size = Int32(exactly: count) else { return nil }
        return unsafe derived(count) { output in
            unsafe PKCS5_PBKDF2_HMAC(
                chars(password),
                Int32(password.count),
                salt,
                Int32(salt.count),
                iterations,
                hash.algorithm.pointer,
                size,
                output
            )
        }
    }

    /// scrypt (RFC 7914 §6), which takes 128 · `blockSize` · 2^`logN` bytes of memory.
    ///
    /// - Returns: `nil` if libcrypto can't, as with parameters out of range.
    public static func scrypt(
        _ password: [UInt8],
        salt: [UInt8],
        logN: Int,
        blockSize: Int,
        parallelization: Int,
        count: Int
    ) -> [UInt8]? {
        guard (1...30).contains(logN), (1...64).contains(blockSize), (1...64).contains(parallelization) else {
            return nil
        }
        let memory = 128 * blockSize << logN + 128 * blockSize * parallelization + 1 << 20
        return unsafe derived(count) { output in
            unsafe EVP_PBE_scrypt(
                chars(password),
                password.count,
                salt,
                salt.count,
                1 << logN,
                UInt64(blockSize),
                UInt64(parallelization),
                UInt64(memory),
                output,
                count
            )
        }
    }

    private static func chars(_ bytes: [UInt8]) -> [CChar] { bytes.map { CChar(bitPattern: $0) } }

    private static func derived(_ count: Int, _ derive: (UnsafeMutablePointer<UInt8>) -> Int32) -> [UInt8]? {
        defer { ERR_clear_error() }
        var output = [UInt8](repeating: 0, count: max(1, count))
        let isDerived = unsafe output.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return false }
            return unsafe derive(start) == 1
        }
        return isDerived ? Array(output.prefix(count)) : nil
    }
}
