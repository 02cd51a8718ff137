import Crypto
public import GatehouseKit
import Wire

/// A key that stored hashes are useless without (NIST SP 800-63B-4 §3.1.1.2), kept apart from the database.
///
/// What is hashed is HMAC-SHA-256 of the password under it, so that no hash needs a secret input of its own. A hash that was
/// made with one says which: `$hmac-sha256$name$argon2id$…`.
public struct Pepper: Sendable {
    /// Tells keys apart, and says nothing about them.
    let name: String
    private let key: HMAC256

    /// Of the key, in bytes.
    public static let minimumLength = 32
    private static let prefix = "$hmac-sha256$"

    /// - Returns: `nil` for a key that is too short to be one.
    public init?(key secret: Secret) {
        let bytes = unsafe secret.withBytes { bytes in unsafe Array(bytes) }
        guard bytes.count >= Self.minimumLength else { return nil }
        key = HMAC256(key: bytes)
        name = Base64URL(bytes: Array(key.code(for: Array("name of the pepper\0".utf8)).prefix(9))).text
    }

    /// What is hashed in the place of a password.
    func apply(to password: [UInt8]) -> [UInt8] { key.code(for: Array("password\0".utf8) + password) }

    /// The stored form of a hash that was made with it.
    func mark(_ hash: String) -> String { Self.prefix + name + hash }

    /// Takes a stored form apart; a hash that was made without one has no name.
    static func split(_ stored: String) -> (name: String?, hash: String) {
        guard stored.hasPrefix(prefix) else { return (nil, stored) }
        let rest = stored.dropFirst(prefix.count)
        return (String(rest.prefix { $0 != "$" }), String(rest.drop { $0 != "$" }))
    }
}
