import COpenSSL
import Wire

/// libcrypto's own verification of one P-256 signature, with key and digest prepared.
@safe
final class P256Reference {
    private let key: OpaquePointer
    private let digest: [UInt8]
    private let signature: [UInt8]

    init(coseKey: [UInt8], signature: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8]) throws {
        let parameters = try CBORValue(decoding: coseKey.span).map
        guard let x = parameters?[-2]?.byteString, let y = parameters?[-3]?.byteString,
            let key = unsafe EC_KEY_new_by_curve_name(NID_X9_62_prime256v1),
            unsafe EC_KEY_oct2key(key, [4] + x + y, 65, nil) == 1
        else { throw ScenarioFault(reason: "not a P-256 key") }
        unsafe self.key = key
        digest = Self.sha256(authenticatorData + Self.sha256(clientDataJSON))
        self.signature = signature
    }

    deinit { unsafe EC_KEY_free(key) }

    func verify() throws {
        let verdict = unsafe ECDSA_verify(
            0,
            digest,
            Int32(digest.count),
            signature,
            Int32(signature.count),
            key
        )
        guard verdict == 1 else { throw ScenarioFault(reason: "the reference refuses the signature") }
    }

    private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        return digest
    }
}
