import COpenSSL

/// RSA: RS256 and PS256 of COSE and JOSE.
public struct RSAPublicKey: PublicKey {
    /// RFC 8812 §2 asks for 2048 bits at least; above 8192 a verification costs more than a sign-in is worth.
    public static let modulusBits = 2048...8192

    /// How a signature is made of a digest.
    public enum Scheme: Sendable {
        /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2.2): compared with the one encoding of the message, never parsed.
        case pkcs1(HashFunction)
        /// RSASSA-PSS with MGF1 of the same hash and a salt of its length (RFC 8017 §8.1, RFC 8230 §2).
        case pss(HashFunction)
    }

    private let scheme: Scheme
    private let key: PreparedRSAKey

    /// - Parameters:
    ///   - modulus: Big-endian, without leading zeros (RFC 8230 §4).
    ///   - exponent: Likewise. Odd, from 65537 up to eight bytes: below, forgeries of bad paddings become possible;
    ///     above, verification slows down without a gain.
    /// - Throws: ``KeyFault``. Sizes are checked before any arithmetic.
    public init(modulus: [UInt8], exponent: [UInt8], scheme: Scheme = .pkcs1(.sha256)) throws(KeyFault) {
        try Self.check(modulus: modulus)
        let numbers = RSANumbers(modulus: modulus, exponent: try Self.checked(exponent: exponent))
        guard let key = PreparedRSAKeys.recent.key(numbers) else { throw .modulus(bits: modulus.count * 8) }
        self.scheme = scheme
        self.key = key
    }

    public func isValid(signature: [UInt8], over message: [UInt8]) -> Bool {
        guard let encoded = key.power(of: signature) else { return false }
        return switch scheme {
        case .pkcs1(let hash): encoded == hash.pkcs1Encoding(of: message, size: encoded.count)
        case .pss(let hash): key.isPSS(encoded, of: hash.hash(message), hash)
        }
    }

    private static func check(modulus: [UInt8]) throws(KeyFault) {
        guard let first = modulus.first, let last = modulus.last else { throw .length(0) }
        guard first != 0 else { throw .notCanonical }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        guard modulusBits.contains(bits), last & 1 == 1 else { throw .modulus(bits: bits) }
    }

    private static func checked(exponent: [UInt8]) throws(KeyFault) -> UInt64 {
        guard let first = exponent.first, exponent.count <= 8 else { throw .length(exponent.count) }
        guard first != 0 else { throw .notCanonical }
        let value = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard value >= 65_537, value & 1 == 1 else { throw .exponent }
        return value
    }
}
