import COpenSSL

/// A private key of an authenticator, with its public half as a COSE key.
@safe
public final class SigningKey: @unchecked Sendable {
    public enum Algorithm: Int, Sendable, CaseIterable {
        case es256 = -7
        case edDSA = -8
        case rs256 = -257
        case esp256 = -9
        case ed25519 = -19
        case es384 = -35
        case es512 = -36
        case ps256 = -37
        case es256K = -47
        case esp384 = -51
        case esp512 = -52
        case ed448 = -53
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
        switch algorithm.keyType {
        case .elliptic: "EC"
        case .edwards(6): "ED25519"
        case .edwards: "ED448"
        case .rsa: "RSA"
        }
    }

    private static func configure(_ context: OpaquePointer?, for algorithm: Algorithm) -> Bool {
        switch algorithm.keyType {
        case .elliptic(1): unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1
        case .elliptic(2): unsafe EVP_PKEY_CTX_set_group_name(context, "P-384") == 1
        case .elliptic(3): unsafe EVP_PKEY_CTX_set_group_name(context, "P-521") == 1
        case .elliptic: unsafe EVP_PKEY_CTX_set_group_name(context, "secp256k1") == 1
        case .edwards: true
        case .rsa: unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1
        }
    }

    /// Signs as the algorithm says; ECDSA signatures are in DER.
    public func sign(_ message: [UInt8]) -> [UInt8] { sign(message, as: algorithm) }

    /// Signs as another algorithm of the same kind of key would.
    public func sign(_ message: [UInt8], as algorithm: Algorithm) -> [UInt8] {
        unsafe sign(message, as: algorithm, Self.digest(of: algorithm))
    }

    /// Signs with ECDSA and SHA-1, as nobody should any more.
    public func signSHA1(_ message: [UInt8]) -> [UInt8] { unsafe sign(message, as: algorithm, EVP_sha1()) }

    private func sign(_ message: [UInt8], as algorithm: Algorithm, _ digest: OpaquePointer?) -> [UInt8] {
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 512)
        var count = signature.count
        var parameters: OpaquePointer?
        guard unsafe EVP_DigestSignInit(context, &parameters, digest, nil, key) == 1,
            unsafe Self.setPadding(parameters, for: algorithm),
            unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { fatalError("libcrypto signs nothing with \(algorithm)") }
        return Array(signature.prefix(count))
    }

    private static func setPadding(_ parameters: OpaquePointer?, for algorithm: Algorithm) -> Bool {
        guard algorithm == .ps256 else { return true }
        return unsafe EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) == 1
    }

    private static func digest(of algorithm: Algorithm) -> OpaquePointer? {
        switch algorithm {
        case .edDSA, .ed25519, .ed448: nil
        case .es384, .esp384: unsafe EVP_sha384()
        case .es512, .esp512: unsafe EVP_sha512()
        default: unsafe EVP_sha256()
        }
    }
}

extension SigningKey.Algorithm {
    /// The kind of key, with the curve's number in the registry "COSE Elliptic Curves".
    enum KeyType {
        case elliptic(Int)
        case edwards(Int)
        case rsa
    }

    var keyType: KeyType {
        switch self {
        case .es256, .esp256: .elliptic(1)
        case .es384, .esp384: .elliptic(2)
        case .es512, .esp512: .elliptic(3)
        case .es256K: .elliptic(8)
        case .edDSA, .ed25519: .edwards(6)
        case .ed448: .edwards(7)
        case .rs256, .ps256: .rsa
        }
    }
}

extension SigningKey {
    /// The public key with the parameters of its type, in canonical order.
    public var coseKey: CBORItem {
        let algorithm = CBORItem.int(self.algorithm.rawValue)
        switch self.algorithm.keyType {
        case .elliptic(let curve):
            let coordinates = publicBytes.dropFirst()
            let x = Array(coordinates.prefix(coordinates.count / 2))
            let y = Array(coordinates.suffix(coordinates.count / 2))
            return .map([
                (.int(1), .int(2)), (.int(3), algorithm), (.int(-1), .int(curve)), (.int(-2), .bytes(x)),
                (.int(-3), .bytes(y)),
            ])
        case .edwards(let curve):
            return .map([
                (.int(1), .int(1)), (.int(3), algorithm), (.int(-1), .int(curve)), (.int(-2), .bytes(publicBytes)),
            ])
        case .rsa:
            return .map([
                (.int(1), .int(3)), (.int(3), algorithm), (.int(-1), .bytes(modulus)), (.int(-2), .bytes([1, 0, 1])),
            ])
        }
    }

    /// A SubjectPublicKeyInfo, as certificates hold it.
    public var subjectPublicKeyInfo: [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_PUBKEY(key, &bytes)
        defer { unsafe CRYPTO_free(bytes, nil, 0) }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    /// An uncompressed point, or the encoding of an Edwards point.
    public var publicBytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 133)
        var count = 0
        guard unsafe EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &bytes, bytes.count, &count) == 1
        else { fatalError("no public key") }
        return Array(bytes.prefix(count))
    }

    /// What an RSA key makes of a number of the modulus's length without any padding.
    public func power(of number: [UInt8]) -> [UInt8] {
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var result = [UInt8](repeating: 0, count: number.count)
        var count = result.count
        guard unsafe EVP_PKEY_sign_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1,
            unsafe EVP_PKEY_sign(context, &result, &count, number, number.count) == 1
        else { fatalError("libcrypto takes no power") }
        return result
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
