import Crypto
import GatehouseKit

/// PBKDF2 with HMAC (RFC 8018 §5.2), in three spellings:
/// `$pbkdf2-sha256$i=600000,l=32$salt$tag`, `$pbkdf2-sha512$310000$salt$tag` (passlib, Authelia) and
/// `pbkdf2_sha256$600000$salt$tag` (Django, whose salt is text).
struct PBKDF2Hash: StoredHash {
    private let hash: HashFunction
    private let iterations: Int
    private let salt: [UInt8]
    private let tag: [UInt8]

    /// About a second.
    private static let maximumIterations = 2_000_000
    private static let functions: [(name: String, hash: HashFunction)] = [
        ("sha1", .sha1), ("sha256", .sha256), ("sha512", .sha512),
    ]

    init?(_ text: String) {
        for (name, hash) in Self.functions {
            if let fields = HashFields(text, after: "$pbkdf2-\(name)$", count: 3) {
                self.init(hash, fields)
                return
            }
            if let fields = HashFields(text, after: "pbkdf2_\(name)$", count: 3) {
                self.init(django: hash, fields)
                return
            }
        }
        // passlib leaves the name of SHA-1 out.
        guard let fields = HashFields(text, after: "$pbkdf2$", count: 3) else { return nil }
        self.init(.sha1, fields)
    }

    private init?(_ hash: HashFunction, _ fields: HashFields) {
        var (plain, named) = (fields, fields)
        let numbers = named.nextNumbers("i", "l")
        let iterations = numbers?[0] ?? plain.nextNumber()
        if numbers != nil { _ = plain.next() }
        guard let iterations, let salt = plain.nextBytes(), let tag = plain.nextBytes(),
            numbers == nil || numbers?[1] == tag.count
        else { return nil }
        self.init(hash, iterations: iterations, salt: salt, tag: tag)
    }

    private init?(django hash: HashFunction, _ fields: HashFields) {
        var fields = fields
        guard let iterations = fields.nextNumber() else { return nil }
        let salt = Array(fields.next().utf8)
        guard let tag = fields.nextBytes() else { return nil }
        self.init(hash, iterations: iterations, salt: salt, tag: tag)
    }

    private init?(_ hash: HashFunction, iterations: Int, salt: [UInt8], tag: [UInt8]) {
        guard (1...Self.maximumIterations).contains(iterations), (1...128).contains(salt.count),
            (16...128).contains(tag.count)
        else { return nil }
        self.hash = hash
        self.iterations = iterations
        self.salt = salt
        self.tag = tag
    }

    func matches(_ password: [UInt8]) throws(ProviderFault) -> Bool {
        let key = KeyDerivation.pbkdf2(password, salt: salt, iterations: iterations, hash, count: tag.count)
        guard let key else { throw ProviderFault("hash password with PBKDF2", code: 0) }
        return ConstantTime.equal(key, tag)
    }
}
