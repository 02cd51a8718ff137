import Crypto
import Wire

/// The secret of a personal access token: what a script sends in place of signing in.
///
/// `gh_pat_`, 32 random letters and digits (190 bits), and 6 that are their checksum, so that scanners know a token for
/// sure, and a typing mistake costs no look-up. Its length is not that of a ``SessionToken``: neither passes for the other.
public struct AccessToken: Sendable {
    public static let prefix = "gh_pat_"

    private static let randomLength = 32
    private static let checkLength = 6
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    public let text: String

    public static func random() -> AccessToken {
        let random = (0..<randomLength).map { _ in randomDigit() }
        return AccessToken(text: prefix + String(decoding: random + check(of: random), as: UTF8.self))
    }

    private init(text: String) { self.text = text }

    /// - Returns: `nil` unless `text` has the form of a token of ours, checksum and all.
    public init?(untrusted text: String) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        let rest = Array(text.utf8.dropFirst(Self.prefix.utf8.count))
        guard rest.count == Self.randomLength + Self.checkLength,
            Self.check(of: rest.prefix(Self.randomLength)).elementsEqual(rest.suffix(Self.checkLength)),
            rest.allSatisfy(Self.digits.contains)
        else { return nil }
        self.text = text
    }

    public var digest: TokenDigest { TokenDigest(SHA256.hash(Array(text.utf8))) }

    /// Each equally likely: of the 256 values of a byte, those that don't share out evenly are drawn again.
    private static func randomDigit() -> UInt8 {
        while true {
            guard let byte = Random.bytes(1).first, byte < 248 else { continue }
            return digits[Int(byte) % digits.count]
        }
    }

    /// The CRC-32 of the random part, most significant digit first.
    private static func check(of random: some Sequence<UInt8>) -> [UInt8] {
        var rest = Int(CRC32.checksum(random))
        return Array(
            (0..<checkLength).map { _ in
                defer { rest /= digits.count }
                return digits[rest % digits.count]
            }.reversed()
        )
    }
}
