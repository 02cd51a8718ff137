import COpenSSL

/// ECDSA on P-256 with SHA-256: ES256 of COSE and JOSE.
///
/// Made with the low-level functions on a group that is prepared once: an import through the provider interface costs as
/// much as half a verification, and through a DER decoder as much as two.
@safe
public final class P256PublicKey: PublicKey, @unchecked Sendable {
    /// The size of a coordinate and of each half of a signature, in bytes.
    public static let coordinateSize = 32

    // Sound: the key is complete when init returns, and verification only reads it.
    private let key: OpaquePointer

    /// - Parameters:
    ///   - x: 32 bytes, big-endian.
    ///   - y: 32 bytes, big-endian.
    /// - Throws: ``KeyFault`` unless they are the coordinates of a point of the curve. Every such point has the full
    ///   order, so it is a key (NIST SP 800-186 §3.2.1.3: the cofactor is 1).
    public init(x: [UInt8], y: [UInt8]) throws(KeyFault) {
        for coordinate in [x, y] where coordinate.count != Self.coordinateSize {
            throw .length(coordinate.count)
        }
        guard let group = unsafe PreparedGroup.p256.pointer, let key = unsafe EC_KEY_new() else { throw .notOnCurve }
        guard unsafe EC_KEY_set_group(key, group) == 1,
            unsafe EC_KEY_oct2key(key, [0x04] + x + y, 1 + 2 * Self.coordinateSize, nil) == 1
        else {
            ERR_clear_error()
            unsafe EC_KEY_free(key)
            throw .notOnCurve
        }
        unsafe self.key = key
    }

    deinit { unsafe EC_KEY_free(key) }

    /// Verifies a signature in DER, the form of WebAuthn.
    ///
    /// Either of the two values of `s` that suit a signature is accepted: no specification here asks for the lower one.
    public func isValid(signature: [UInt8], over message: [UInt8]) -> Bool {
        guard let parsed = ECDSASignature(der: signature, scalarSize: Self.coordinateSize) else { return false }
        return isValid(parsed, over: message)
    }

    /// Verifies a signature as `r‖s`, 64 bytes: the form of JOSE.
    public func isValid(rawSignature: [UInt8], over message: [UInt8]) -> Bool {
        guard let parsed = ECDSASignature(raw: rawSignature, scalarSize: Self.coordinateSize) else { return false }
        return isValid(parsed, over: message)
    }

    private func isValid(_ signature: ECDSASignature, over message: [UInt8]) -> Bool {
        unsafe signature.isValid(for: key, digest: SHA256.hash(message))
    }
}
