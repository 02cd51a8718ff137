import COpenSSL

/// A private key for ECDSA on P-256 with SHA-256: ES256 of JOSE.
@safe
public final class P256SigningKey: @unchecked Sendable {
    // Sound: an EVP_PKEY is only read once it is made.
    private let key: OpaquePointer

    /// - Parameter text: A file with one PKCS #8 key in PEM (RFC 5958, RFC 7468 §10), as Apple hands them out: `.p8`.
    /// - Returns: `nil` if it isn't that, or a key of another kind.
    public convenience init?(pem text: String) {
        guard let keys = PEM.bodies(labelled: "PRIVATE KEY", in: text), keys.count == 1, let key = keys.first else {
            return nil
        }
        self.init(der: key)
    }

    private init?(der: [UInt8]) {
        guard let key = unsafe Self.decode(der) else {
            ERR_clear_error()
            return nil
        }
        unsafe self.key = key
        guard isP256 else { return nil }
    }

    deinit { unsafe EVP_PKEY_free(key) }

    private static func decode(_ der: [UInt8]) -> OpaquePointer? {
        unsafe der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return unsafe d2i_AutoPrivateKey(nil, &start, bytes.count)
        }
    }

    private var isP256: Bool {
        var name = [CChar](repeating: 0, count: 32)
        var count = 0
        guard unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_EC,
            unsafe EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1
        else { return false }
        return name.prefix(count).map { UInt8(bitPattern: $0) } == Array("prime256v1".utf8)
    }

    /// A signature as `r‖s`, 64 bytes (RFC 7518 §3.4).
    public func signature(over message: [UInt8]) throws(OpenSSLFault) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .current() }
        defer { unsafe EVP_MD_CTX_free(context) }
        var der = [UInt8](repeating: 0, count: 80)
        var count = der.count
        guard unsafe EVP_DigestSignInit(context, nil, HashFunction.sha256.algorithm.pointer, nil, key) == 1,
            unsafe EVP_DigestSign(context, &der, &count, message, message.count) == 1,
            let numbers = ECDSASignature(der: Array(der.prefix(count)), scalarSize: P256PublicKey.coordinateSize)
        else { throw .current() }
        return [numbers.r, numbers.s].flatMap { number in
            [UInt8](repeating: 0, count: P256PublicKey.coordinateSize - number.count) + number
        }
    }
}
