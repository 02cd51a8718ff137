import GatehouseKit
import Wire

/// A hash as another system wrote it, on its way into storage.
enum ForeignHash {
    /// The spelling that ``HashForms`` reads.
    ///
    /// - Parameter budget: What checking it may take, in bytes.
    /// - Throws: ``Refusal`` that says what is wrong without a word of the hash: it may be a password.
    static func stored(_ text: String, within budget: Int) throws(Refusal) -> String {
        let stored = ASPNETHash.phc(text) ?? withoutDjangosName(text)
        guard HashForms.parse(stored, within: budget) == nil else { return stored }
        if let form = unsupported.first(where: { text.hasPrefix($0.prefix) }) {
            throw Refusal(.invalidValue, form.reason)
        }
        guard !known.contains(where: stored.hasPrefix) else {
            throw Refusal(.invalidValue, "the password hash is damaged, or asks for more work than is allowed")
        }
        throw Refusal(.invalidValue, "the password hash is in no known form; plain text is never imported")
    }

    /// Django puts a name of its own in front of what libraries make.
    private static func withoutDjangosName(_ text: String) -> String {
        for name in ["argon2$argon2", "bcrypt$$2"] where text.hasPrefix(name) {
            return "$" + text.drop { $0 != "$" }.drop { $0 == "$" }
        }
        return text
    }

    private static let known = [
        "$argon2", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$1$", "$y$", "$apr1$", "$scrypt$", "$firescrypt$", "$pbkdf2",
        "pbkdf2_sha", "$md5$", "$sha",
    ]

    private static let unsupported: [(prefix: String, reason: Refusal.Reason)] = [
        ("bcrypt_sha256$", "bcrypt_sha256 hashes are not supported"),
        ("$bcrypt-sha256$", "bcrypt_sha256 hashes are not supported"),
        ("scrypt$", "Django's scrypt hashes are not supported"),
        ("scrypt:", "Werkzeug's hashes are not supported"),
        ("pbkdf2:", "Werkzeug's hashes are not supported"),
        ("$P$", "phpass hashes are not supported"),
        ("$H$", "phpass hashes are not supported"),
        ("$S$", "Drupal's hashes are not supported"),
        ("$7$", "crypt(3) hashes by scrypt are not supported"),
        ("$gy$", "gost-yescrypt hashes are not supported"),
    ]
}

/// A hash of ASP.NET Core Identity, version 3: base64 of a marker, function, iterations, length of the salt, salt and tag
/// (Microsoft.AspNetCore.Identity, PasswordHasher).
enum ASPNETHash {
    /// The marker, and a function below 2^24.
    private static let beginning = "AQAAAA"
    /// In characters; real ones have 84.
    private static let maximumLength = 512
    private static let functions = ["sha1", "sha256", "sha512"]

    /// - Returns: the same as a PHC string of PBKDF2; `nil` for anything else.
    static func phc(_ text: String) -> String? {
        guard text.utf8.count <= maximumLength, text.hasPrefix(beginning), let bytes = Base64.bytes(text) else {
            return nil
        }
        return try? phc(bytes)
    }

    private static func phc(_ bytes: [UInt8]) throws(WireFault) -> String? {
        var reader = ByteReader(bytes.span)
        _ = try reader.readUInt8(bytes.span)
        let function = Int(try reader.readInteger(UInt32.self, bytes.span))
        let iterations = try reader.readInteger(UInt32.self, bytes.span)
        let salt = try reader.take(Int(try reader.readInteger(UInt32.self, bytes.span)), bytes.span)
        let tag = try reader.take(reader.remaining, bytes.span)
        guard functions.indices.contains(function) else { return nil }
        let (saltText, tagText) = (Base64URL(bytes: salt).standardText, Base64URL(bytes: tag).standardText)
        return "$pbkdf2-\(functions[function])$\(iterations)$\(saltText)$\(tagText)"
    }
}
