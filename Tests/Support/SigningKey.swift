import COpenSSL

/// A private key of an authenticator, with its public half as a COSE key.
@safe
public final class SigningKey: @unchecked Sendable {
    public enum Algorithm: Int, Sendable, CaseIterable {
        case es256 = -7
        case edDSA = -8
        case rs256 = -257
    }

    /// One for all who don't mind sharing: making an RSA key takes a good part of a second.
    public static let sharedRSA = SigningKey(.rs256)

    public let algorithm: Algorithm
    // Sound: an EVP_PKEY is only read once it is made.
    private let key: OpaquePointer

    /// Makes a key; RSA of 2048 bits.
    ///
    /// Stops the process when libcrypto can't, which no test could go on without.
    public init(_ algorithm: Algorithm) {
        self.algorithm = algorithm
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, Self.name(of: algorithm), nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe Self.configure(context, for: algorithm),
            unsafe EVP_PKEY_generate(context, &made) == 1,
            let key = unsafe made
        else { fatalError("libcrypto makes no \(algorithm) key") }
        unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(key) }

    private static func name(of algorithm: Algorithm) -> String {
        switch algorithm {
        case .es256: "EC"
        case .edDSA: "ED25519"
        case .rs256: "RSA"
        }
    }

    private static func configure(_ context: OpaquePointer?, for algorithm: Algorithm) -> Bool {
        switch algorithm {
        case .es256: unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1
        case .edDSA: true
        case .rs256: unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1
        }
    }

    /// Signs with SHA-256, or as Ed25519 does; ECDSA signatures are in DER.
    public func sign(_ message: [UInt8]) -> [UInt8] {
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        let digest = unsafe algorithm == .edDSA ? nil : EVP_sha256()
        var signature = [UInt8](repeating: 0, count: 512)
        var count = signature.count
        guard unsafe EVP_DigestSignInit(context, nil, digest, nil, key) == 1,
            unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { fatalError("libcrypto signs nothing with \(algorithm)") }
        return Array(signature.prefix(count))
    }
}

extension SigningKey {
    /// The public key with the parameters of its type, in canonical order.
    public var coseKey: CBORItem {
        let algorithm = CBORItem.int(self.algorithm.rawValue)
        switch self.algorithm {
        case .es256:
            let point = publicBytes
            return .map([
                (.int(1), .int(2)), (.int(3), algorithm), (.int(-1), .int(1)),
                (.int(-2), .bytes(Array(point[1...32]))), (.int(-3), .bytes(Array(point[33...]))),
            ])
        case .edDSA:
            return .map([
                (.int(1), .int(1)), (.int(3), algorithm), (.int(-1), .int(6)), (.int(-2), .bytes(publicBytes)),
            ])
        case .rs256:
            return .map([
                (.int(1), .int(3)), (.int(3), algorithm), (.int(-1), .bytes(modulus)), (.int(-2), .bytes([1, 0, 1])),
            ])
        }
    }

    /// An uncompressed point, or the encoding of an Edwards point.
    public var publicBytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65)
        var count = 0
        guard unsafe EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &bytes, bytes.count, &count) == 1
        else { fatalError("no public key") }
        return Array(bytes.prefix(count))
    }

    /// The modulus of an RSA key, big-endian.
    public var modulus: [UInt8] {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &number) == 1 else { fatalError("no modulus") }
        defer { unsafe BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe BN_bn2binpad(number, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(count)))
    }
}
