import Crypto
import GatehouseKit

/// One round of a digest over salt and password, as products of the past stored it:
/// `$sha256$pf=<format>$salt$tag`, where the format is base64 of a text with `{SALT}` and `{PASSWORD}` in it.
struct DigestHash: StoredHash {
    private let hash: HashFunction
    private let format: String
    private let salt: [UInt8]
    private let tag: [UInt8]

    private static let functions: [(name: String, hash: HashFunction)] = [
        ("md5", .md5), ("sha1", .sha1), ("sha256", .sha256), ("sha384", .sha384), ("sha512", .sha512),
    ]

    init?(_ text: String) {
        for (name, hash) in Self.functions {
            guard var fields = HashFields(text, after: "$\(name)$", count: 3) else { continue }
            let stated = fields.next()
            guard stated.hasPrefix("pf="), let format = Base64.bytes(stated.dropFirst(3)),
                let salt = fields.nextBytes(),
                let tag = fields.nextBytes(), tag.count == hash.byteCount,
                let text = String(validating: format, as: UTF8.self), text.contains("{PASSWORD}")
            else { return nil }
            self.hash = hash
            self.format = text
            self.salt = salt
            self.tag = tag
            return
        }
        return nil
    }

    func matches(_ password: [UInt8]) throws(ProviderFault) -> Bool {
        var input: [UInt8] = []
        var rest = format[...]
        while let first = rest.first {
            if rest.hasPrefix("{SALT}") {
                input += salt
                rest.removeFirst(6)
            } else if rest.hasPrefix("{PASSWORD}") {
                input += password
                rest.removeFirst(10)
            } else {
                input += Array(String(first).utf8)
                rest.removeFirst()
            }
        }
        return ConstantTime.equal(hash.hash(input), tag)
    }
}

/// The schemes of LDAP directories (RFC 2307 §5.3 and what became of it): `{SSHA}` and its kin, base64 of a digest of
/// password and salt with the salt behind it; and `{CRYPT}`.
struct LDAPHash: StoredHash {
    private enum Form {
        case digest(HashFunction, tag: [UInt8], salt: [UInt8])
        case crypt(CryptHash)
    }

    private let form: Form

    private static let schemes: [(name: String, hash: HashFunction, isSalted: Bool)] = [
        ("{SSHA}", .sha1, true), ("{SHA}", .sha1, false), ("{SSHA256}", .sha256, true), ("{SHA256}", .sha256, false),
        ("{SSHA384}", .sha384, true), ("{SHA384}", .sha384, false), ("{SSHA512}", .sha512, true),
        ("{SHA512}", .sha512, false), ("{SMD5}", .md5, true), ("{MD5}", .md5, false),
    ]

    init?(_ text: String) {
        guard let end = text.firstIndex(of: "}") else { return nil }
        let (name, value) = (text[...end].uppercased(), text[text.index(after: end)...])
        if name == "{CRYPT}", let hash = CryptHash(String(value)) {
            form = .crypt(hash)
            return
        }
        guard let scheme = Self.schemes.first(where: { $0.name == name }), let bytes = Base64.bytes(value) else {
            return nil
        }
        let salt = Array(bytes.dropFirst(scheme.hash.byteCount))
        guard bytes.count >= scheme.hash.byteCount, scheme.isSalted != salt.isEmpty, salt.count <= 64 else {
            return nil
        }
        form = .digest(scheme.hash, tag: Array(bytes.prefix(scheme.hash.byteCount)), salt: salt)
    }

    func matches(_ password: [UInt8]) throws(ProviderFault) -> Bool {
        switch form {
        case .digest(let hash, let tag, let salt): ConstantTime.equal(hash.hash(password + salt), tag)
        case .crypt(let hash): try hash.matches(password)
        }
    }

    func covers(_ password: [UInt8]) -> Bool {
        if case .crypt(let hash) = form { hash.covers(password) } else { true }
    }
}
