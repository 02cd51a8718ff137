import Crypto
import Wire

/// A key that an issuer signs tokens with.
package struct TokenKey: Sendable {
    let id: String
    let algorithm: TokenAlgorithm
    private let key: Key

    private enum Key {
        case rsa(RSAPublicKey)
        case p256(P256PublicKey)
    }

    func isValid(signature: [UInt8], over message: [UInt8]) -> Bool {
        switch key {
        case .rsa(let key): key.isValid(signature: signature, over: message)
        case .p256(let key): key.isValid(rawSignature: signature, over: message)
        }
    }
}

extension TokenKey {
    /// - Returns: `nil` for a key that signs no tokens of ours: one without an ID, for encryption, of another kind, or unsound
    ///   (RFC 7517 §5: such a key is ignored).
    init?(_ jwk: JSONMembers) {
        guard case .string(let id) = jwk["kid"], !id.isEmpty, Self.isForSignatures(jwk),
            let (algorithm, key) = Self.key(jwk), Self.suits(algorithm, jwk)
        else { return nil }
        self.id = id
        self.algorithm = algorithm
        self.key = key
    }

    /// RFC 7517 §4.2 and §4.3.
    private static func isForSignatures(_ jwk: JSONMembers) -> Bool {
        guard jwk["use"] == nil || jwk["use"] == .string("sig") else { return false }
        switch jwk["key_ops"] {
        case nil: return true
        case .strings(let operations): return operations.contains("verify")
        default: return false
        }
    }

    private static func suits(_ algorithm: TokenAlgorithm, _ jwk: JSONMembers) -> Bool {
        jwk["alg"] == nil || jwk["alg"] == .string(algorithm.rawValue)
    }

    private static func key(_ jwk: JSONMembers) -> (TokenAlgorithm, Key)? {
        switch jwk["kty"] {
        case .string("RSA"): rsa(jwk).map { (.rs256, .rsa($0)) }
        case .string("EC") where jwk["crv"] == .string("P-256"): p256(jwk).map { (.es256, .p256($0)) }
        default: nil
        }
    }

    /// RFC 7518 §6.3.1.
    private static func rsa(_ jwk: JSONMembers) -> RSAPublicKey? {
        guard let modulus = number("n", jwk), let exponent = number("e", jwk) else { return nil }
        return try? RSAPublicKey(modulus: modulus, exponent: exponent)
    }

    /// RFC 7518 §6.2.1.
    private static func p256(_ jwk: JSONMembers) -> P256PublicKey? {
        guard let x = number("x", jwk), let y = number("y", jwk) else { return nil }
        return try? P256PublicKey(x: x, y: y)
    }

    private static func number(_ name: String, _ jwk: JSONMembers) -> [UInt8]? {
        guard case .string(let text) = jwk[name] else { return nil }
        return Base64URL(text)?.bytes
    }
}

/// The keys that an issuer publishes (RFC 7517 §5), those of them that sign tokens.
public struct TokenKeySet: Sendable {
    /// In bytes; Apple's has two thousand.
    public static let maximumSize = 65_536
    static let maximumCount = 64

    let keys: [TokenKey]

    /// - Returns: `nil` unless it is a key set of bearable size with at least one key to verify with.
    public init?(parsing text: [UInt8]) {
        guard text.count <= Self.maximumSize, let set = try? JSONDocument(parsing: text, dividing: "keys"),
            set.count <= Self.maximumCount
        else { return nil }
        keys = (0..<set.count).compactMap { index in
            (try? JSONMembers(parsing: set.element(index), takesUnpairedSurrogates: false)).flatMap(TokenKey.init)
        }
        guard !keys.isEmpty else { return nil }
    }

    /// Of several with one ID, any may be meant (RFC 7517 §4.5).
    package func keys(named id: String, for algorithm: TokenAlgorithm) -> [TokenKey] {
        keys.filter { $0.id == id && $0.algorithm == algorithm }
    }
}
