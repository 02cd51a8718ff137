import COpenSSL

/// An RSA public key by its numbers.
struct RSANumbers: Hashable {
    /// Big-endian, without leading zeros; odd.
    let modulus: [UInt8]
    /// Odd and more than 1.
    let exponent: UInt64

    /// Of the modulus in one piece: byte by byte it takes longer than the rest of the look-up.
    func hash(into hasher: inout Hasher) {
        unsafe modulus.withUnsafeBytes { bytes in unsafe hasher.combine(bytes: bytes) }
    }
}

/// An RSA public key as libcrypto has it, which makes the modulus ready with the first signature and keeps it so.
@safe
final class PreparedRSAKey: @unchecked Sendable {
    let numbers: RSANumbers
    // Sound: the key is complete when init returns; libcrypto locks what it caches inside.
    private let key: OpaquePointer

    init?(_ numbers: RSANumbers) {
        guard let key = unsafe RSA_new() else { return nil }
        self.numbers = numbers
        unsafe self.key = key
        let n = unsafe BN_bin2bn(numbers.modulus, Int32(numbers.modulus.count), nil)
        let e = unsafe BN_new()
        guard unsafe e != nil, unsafe BN_set_word(e, UInt(numbers.exponent)) == 1,
            unsafe RSA_set0_key(key, n, e, nil) == 1
        else {
            unsafe BN_free(n)
            unsafe BN_free(e)
            return nil
        }
    }

    deinit { unsafe RSA_free(key) }

    /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2.2).
    func isPKCS1(_ signature: [UInt8], of digest: [UInt8], _ hash: HashFunction) -> Bool {
        guard let length = UInt32(exactly: signature.count) else { return false }
        return isGood(unsafe RSA_verify(hash.nid, digest, UInt32(digest.count), signature, length, key))
    }

    /// RSASSA-PSS (RFC 8017 §8.1.2) with MGF1 of the same hash and a salt of its length.
    func isPSS(_ signature: [UInt8], of digest: [UInt8], _ hash: HashFunction) -> Bool {
        guard signature.count == numbers.modulus.count, let size = Int32(exactly: signature.count) else { return false }
        var encoded = [UInt8](repeating: 0, count: signature.count)
        guard isGood(unsafe RSA_public_decrypt(size, signature, &encoded, key, RSA_NO_PADDING), size) else {
            return false
        }
        let (algorithm, salt) = unsafe (hash.algorithm.pointer, RSA_PSS_SALTLEN_DIGEST)
        return isGood(unsafe RSA_verify_PKCS1_PSS_mgf1(key, digest, algorithm, algorithm, encoded, salt))
    }

    /// What is wrong leaves errors behind, for whoever asks libcrypto next.
    private func isGood(_ code: Int32, _ expected: Int32 = 1) -> Bool {
        if code != expected { ERR_clear_error() }
        return code == expected
    }
}
