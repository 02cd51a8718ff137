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

    /// Makes a new key.
    public init() throws(OpenSSLFault) {
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            unsafe EVP_PKEY_generate(context, &made) == 1, let key = unsafe made
        else { throw .current() }
        unsafe self.key = key
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

    /// The point that is the public key, as ``P256PublicKey`` takes it.
    public func coordinates() throws(OpenSSLFault) -> (x: [UInt8], y: [UInt8]) {
        let size = P256PublicKey.coordinateSize
        var point = [UInt8](repeating: 0, count: 1 + 2 * size)
        var count = 0
        guard unsafe EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &count) == 1,
            count == point.count, point.first == 0x04
        else { throw .current() }
        return (Array(point[1...size]), Array(point[(1 + size)...]))
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
