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

/// An RSA public key with its modulus made ready for Montgomery multiplication.
@safe
final class PreparedRSAKey: @unchecked Sendable {
    let numbers: RSANumbers
    // Sound: an RSA and a BN_MONT_CTX are only read once they are made.
    private let key: OpaquePointer
    private let modulus: OpaquePointer

    init?(_ numbers: RSANumbers) {
        guard let key = unsafe RSA_new(), let modulus = unsafe BN_MONT_CTX_new() else { return nil }
        self.numbers = numbers
        unsafe self.key = key
        unsafe self.modulus = modulus
        guard setNumbers() else { return nil }
    }

    deinit {
        unsafe RSA_free(key)
        unsafe BN_MONT_CTX_free(modulus)
    }

    private func setNumbers() -> Bool {
        guard let context = unsafe BN_CTX_new() else { return false }
        defer { unsafe BN_CTX_free(context) }
        let n = unsafe BN_bin2bn(numbers.modulus, Int32(numbers.modulus.count), nil)
        let e = unsafe BN_new()
        guard unsafe e != nil, unsafe BN_set_word(e, UInt(numbers.exponent)) == 1,
            unsafe RSA_set0_key(key, n, e, nil) == 1
        else {
            unsafe BN_free(n)
            unsafe BN_free(e)
            return false
        }
        return unsafe BN_MONT_CTX_set(modulus, n, context) == 1
    }

    /// The signature to the power of the exponent, as many bytes as the modulus has (RFC 8017 §5.2.2).
    ///
    /// - Returns: `nil` for a signature that isn't a number of the modulus's length below it.
    func power(of signature: [UInt8]) -> [UInt8]? {
        guard signature.count == numbers.modulus.count, signature.lexicographicallyPrecedes(numbers.modulus),
            let context = unsafe BN_CTX_new()
        else { return nil }
        defer { unsafe BN_CTX_free(context) }
        guard let base = unsafe BN_bin2bn(signature, Int32(signature.count), nil) else { return nil }
        defer { unsafe BN_free(base) }
        guard let result = unsafe BN_new() else { return nil }
        defer { unsafe BN_free(result) }
        guard unsafe raise(base, into: result, context) else { return nil }
        var bytes = [UInt8](repeating: 0, count: signature.count)
        return unsafe BN_bn2binpad(result, &bytes, Int32(bytes.count)) > 0 ? bytes : nil
    }

    /// Squares and multiplies from the top bit of the exponent down.
    ///
    /// The factor of the last bit, which is set, isn't in Montgomery form: that takes the product out of it.
    @unsafe
    private func raise(_ base: OpaquePointer, into result: OpaquePointer, _ context: OpaquePointer) -> Bool {
        guard let factor = unsafe BN_new() else { return false }
        defer { unsafe BN_free(factor) }
        guard unsafe BN_to_montgomery(factor, base, modulus, context) == 1, unsafe BN_copy(result, factor) != nil
        else { return false }
        for bit in (0..<(UInt64.bitWidth - 1 - numbers.exponent.leadingZeroBitCount)).reversed() {
            guard unsafe BN_mod_mul_montgomery(result, result, result, modulus, context) == 1 else { return false }
            guard numbers.exponent >> UInt64(bit) & 1 == 1 else { continue }
            let multiplier = unsafe bit == 0 ? base : factor
            guard unsafe BN_mod_mul_montgomery(result, result, multiplier, modulus, context) == 1 else { return false }
        }
        return true
    }

    /// EMSA-PSS-VERIFY (RFC 8017 §9.1.2) with MGF1 of the same hash and a salt of its length.
    func isPSS(_ encoded: [UInt8], of digest: [UInt8], _ hash: HashFunction) -> Bool {
        let algorithm = unsafe hash.algorithm.pointer
        let salt = RSA_PSS_SALTLEN_DIGEST
        let verdict = unsafe RSA_verify_PKCS1_PSS_mgf1(key, digest, algorithm, algorithm, encoded, salt)
        if verdict != 1 { ERR_clear_error() }
        return verdict == 1
    }
}

extension HashFunction {
    /// EMSA-PKCS1-v1_5 (RFC 8017 §9.2), the whole of it.
    ///
    /// - Parameter size: The modulus's, in bytes: at least 256, so that everything fits.
    func pkcs1Encoding(of message: [UInt8], size: Int) -> [UInt8] {
        let content = digestInfo + hash(message)
        return [0, 1] + [UInt8](repeating: 0xFF, count: size - content.count - 3) + [0] + content
    }

    /// What stands before the digest in a DigestInfo (RFC 8017 §9.2, note 1).
    private var digestInfo: [UInt8] {
        switch self {
        case .md5: [0x30, 0x20, 0x30, 12, 6, 8, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 2, 5, 5, 0, 4, 16]
        case .sha1: [0x30, 0x21, 0x30, 9, 6, 5, 0x2B, 0x0E, 3, 2, 0x1A, 5, 0, 4, 0x14]
        case .sha256: Self.digestInfo(last: 1, size: 32)
        case .sha384: Self.digestInfo(last: 2, size: 48)
        case .sha512: Self.digestInfo(last: 3, size: 64)
        }
    }

    /// Of the algorithms 2.16.840.1.101.3.4.2.
    private static func digestInfo(last: UInt8, size: UInt8) -> [UInt8] {
        [0x30, 17 + size, 0x30, 13, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, last, 5, 0, 4, size]
    }
}
