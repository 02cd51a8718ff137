import COpenSSL

/// ECDSA on any of the curves: ES384, ES512 and ES256K of COSE, and ES256 where speed is no matter.
@safe
public final class ECDSAPublicKey: PublicKey, @unchecked Sendable {
    private let curve: EllipticCurve
    private let hash: HashFunction
    // Sound: the key is complete when init returns, and verification only reads it.
    private let key: OpaquePointer

    /// - Parameters:
    ///   - x: As many bytes as a coordinate of the curve has, big-endian.
    ///   - y: Likewise.
    /// - Throws: ``KeyFault`` unless they are the coordinates of a point of the curve. Every such point has the full
    ///   order, as each of the curves has the cofactor 1.
    public init(curve: EllipticCurve, hash: HashFunction, x: [UInt8], y: [UInt8]) throws(KeyFault) {
        for coordinate in [x, y] where coordinate.count != curve.coordinateSize { throw .length(coordinate.count) }
        guard let group = unsafe curve.group.pointer, let key = unsafe EC_KEY_new() else { throw .notOnCurve }
        guard unsafe EC_KEY_set_group(key, group) == 1,
            unsafe EC_KEY_oct2key(key, [0x04] + x + y, 1 + 2 * curve.coordinateSize, nil) == 1
        else {
            ERR_clear_error()
            unsafe EC_KEY_free(key)
            throw .notOnCurve
        }
        self.curve = curve
        self.hash = hash
        unsafe self.key = key
    }

    deinit { unsafe EC_KEY_free(key) }

    /// Verifies a signature in DER, the form of WebAuthn and X.509.
    public func isValid(signature: [UInt8], over message: [UInt8]) -> Bool {
        guard let parsed = ECDSASignature(der: signature, scalarSize: curve.coordinateSize) else { return false }
        return unsafe parsed.isValid(for: key, digest: hash.hash(message))
    }
}

extension ECDSASignature {
    /// - Parameter key: An `EC_KEY` with a group and a public point.
    @unsafe
    func isValid(for key: OpaquePointer, digest: [UInt8]) -> Bool {
        guard let numbers = unsafe ECDSA_SIG_new() else { return false }
        defer { unsafe ECDSA_SIG_free(numbers) }
        let r = unsafe BN_bin2bn(self.r, Int32(self.r.count), nil)
        let s = unsafe BN_bin2bn(self.s, Int32(self.s.count), nil)
        guard unsafe ECDSA_SIG_set0(numbers, r, s) == 1 else {
            unsafe BN_free(r)
            unsafe BN_free(s)
            return false
        }
        // Checks first that r and s lie in 1...n-1 (FIPS 186-5 §6.4.2).
        let verdict = unsafe ECDSA_do_verify(digest, Int32(digest.count), numbers, key)
        if verdict != 1 { ERR_clear_error() }
        return verdict == 1
    }
}
