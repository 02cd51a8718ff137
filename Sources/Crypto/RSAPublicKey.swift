import COpenSSL

/// RSA: RS256 and PS256 of COSE and JOSE.
@safe
public final class RSAPublicKey: PublicKey, @unchecked Sendable {
    /// RFC 8812 §2 asks for 2048 bits at least; above 8192 a verification costs more than a sign-in is worth.
    public static let modulusBits = 2048...8192

    /// How a signature is made of a digest.
    public enum Scheme: Sendable {
        /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2).
        case pkcs1(HashFunction)
        /// RSASSA-PSS with MGF1 of the same hash and a salt of its length (RFC 8017 §8.1, RFC 8230 §2).
        case pss(HashFunction)
    }

    private let scheme: Scheme
    // Sound: the key is complete when init returns; libcrypto locks what it caches inside.
    private let key: OpaquePointer

    /// - Parameters:
    ///   - modulus: Big-endian, without leading zeros (RFC 8230 §4).
    ///   - exponent: Likewise. Odd, from 65537 up to eight bytes: below, forgeries of bad paddings become possible;
    ///     above, verification slows down without a gain.
    /// - Throws: ``KeyFault``. Sizes are checked before any arithmetic.
    public init(modulus: [UInt8], exponent: [UInt8], scheme: Scheme = .pkcs1(.sha256)) throws(KeyFault) {
        try Self.check(modulus: modulus)
        try Self.check(exponent: exponent)
        guard let key = unsafe RSA_new() else { throw .modulus(bits: modulus.count * 8) }
        let n = unsafe BN_bin2bn(modulus, Int32(modulus.count), nil)
        let e = unsafe BN_bin2bn(exponent, Int32(exponent.count), nil)
        guard unsafe RSA_set0_key(key, n, e, nil) == 1 else {
            unsafe BN_free(n)
            unsafe BN_free(e)
            unsafe RSA_free(key)
            throw .modulus(bits: modulus.count * 8)
        }
        self.scheme = scheme
        unsafe self.key = key
    }

    deinit { unsafe RSA_free(key) }

    public func isValid(signature: [UInt8], over message: [UInt8]) -> Bool {
        let verdict =
            switch scheme {
            case .pkcs1(let hash): isPKCS1(signature, over: hash.hash(message), hash)
            case .pss(let hash): isPSS(signature, over: hash.hash(message), hash)
            }
        if !verdict { ERR_clear_error() }
        return verdict
    }

    private func isPKCS1(_ signature: [UInt8], over digest: [UInt8], _ hash: HashFunction) -> Bool {
        guard let length = UInt32(exactly: signature.count) else { return false }
        return unsafe RSA_verify(hash.nid, digest, UInt32(digest.count), signature, length, key) == 1
    }

    private func isPSS(_ signature: [UInt8], over digest: [UInt8], _ hash: HashFunction) -> Bool {
        let size = unsafe RSA_size(key)
        guard signature.count == Int(size) else { return false }
        var encoded = [UInt8](repeating: 0, count: Int(size))
        guard unsafe RSA_public_decrypt(size, signature, &encoded, key, RSA_NO_PADDING) == size else { return false }
        let algorithm = unsafe hash.algorithm.pointer
        return unsafe RSA_verify_PKCS1_PSS_mgf1(key, digest, algorithm, algorithm, encoded, RSA_PSS_SALTLEN_DIGEST) == 1
    }

    private static func check(modulus: [UInt8]) throws(KeyFault) {
        guard let first = modulus.first, let last = modulus.last else { throw .length(0) }
        guard first != 0 else { throw .notCanonical }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        guard modulusBits.contains(bits), last & 1 == 1 else { throw .modulus(bits: bits) }
    }

    private static func check(exponent: [UInt8]) throws(KeyFault) {
        guard let first = exponent.first, exponent.count <= 8 else { throw .length(exponent.count) }
        guard first != 0 else { throw .notCanonical }
        let value = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard value >= 65_537, value & 1 == 1 else { throw .exponent }
    }
}
