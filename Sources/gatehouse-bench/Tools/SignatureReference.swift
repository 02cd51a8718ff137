import COpenSSL
import Crypto
import Wire

/// libcrypto's own verification of one signature, with everything prepared that can be.
protocol SignatureReference {
    /// - Throws: ``ScenarioFault`` if libcrypto refuses the signature.
    func verify() throws
}

/// ECDSA on P-256: key and digest prepared.
@safe
final class P256Reference: SignatureReference {
    private let key: OpaquePointer
    private let digest: [UInt8]
    private let signature: [UInt8]

    init(coseKey: [UInt8], signature: [UInt8], message: [UInt8]) throws {
        let parameters = try CBORValue(decoding: coseKey.span).map
        guard let x = parameters?[-2]?.byteString, let y = parameters?[-3]?.byteString,
            let key = unsafe EC_KEY_new_by_curve_name(NID_X9_62_prime256v1),
            unsafe EC_KEY_oct2key(key, [4] + x + y, 65, nil) == 1
        else { throw ScenarioFault(reason: "not a P-256 key") }
        unsafe self.key = key
        digest = SHA256.hash(message)
        self.signature = signature
    }

    deinit { unsafe EC_KEY_free(key) }

    func verify() throws {
        let verdict = unsafe ECDSA_verify(0, digest, Int32(digest.count), signature, Int32(signature.count), key)
        try accept(verdict)
    }
}

/// Ed25519: the key prepared; its hash depends on the signature, so it is part of the work.
@safe
final class Ed25519Reference: SignatureReference {
    private let key: OpaquePointer
    private let context: OpaquePointer
    private let message: [UInt8]
    private let signature: [UInt8]

    init(coseKey: [UInt8], signature: [UInt8], message: [UInt8]) throws {
        guard let x = try CBORValue(decoding: coseKey.span).map?[-2]?.byteString,
            let key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, x, x.count),
            let context = unsafe EVP_MD_CTX_new()
        else { throw ScenarioFault(reason: "not an Ed25519 key") }
        unsafe self.key = key
        unsafe self.context = context
        self.message = message
        self.signature = signature
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
        unsafe EVP_PKEY_free(key)
    }

    func verify() throws {
        unsafe EVP_MD_CTX_reset(context)
        try accept(unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key))
        try accept(unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count))
    }
}

/// RSASSA-PKCS1-v1_5 with SHA-256: key and digest prepared.
@safe
final class RSAReference: SignatureReference {
    private let key: OpaquePointer
    private let digest: [UInt8]
    private let signature: [UInt8]

    init(coseKey: [UInt8], signature: [UInt8], message: [UInt8]) throws {
        let parameters = try CBORValue(decoding: coseKey.span).map
        guard let modulus = parameters?[-1]?.byteString, let exponent = parameters?[-2]?.byteString,
            let key = unsafe RSA_new(),
            unsafe RSA_set0_key(
                key,
                BN_bin2bn(modulus, Int32(modulus.count), nil),
                BN_bin2bn(exponent, Int32(exponent.count), nil),
                nil
            ) == 1
        else { throw ScenarioFault(reason: "not an RSA key") }
        unsafe self.key = key
        digest = SHA256.hash(message)
        self.signature = signature
    }

    deinit { unsafe RSA_free(key) }

    func verify() throws {
        let length = UInt32(signature.count)
        try accept(unsafe RSA_verify(NID_sha256, digest, UInt32(digest.count), signature, length, key))
    }
}

private func accept(_ verdict: Int32) throws {
    guard verdict == 1 else { throw ScenarioFault(reason: "the reference refuses the signature") }
}
