import Crypto
import GatehouseKit

/// Apache's variant of md5crypt: `$apr1$salt$tag`, as `htpasswd` writes it (httpd 2.4, "Password Formats").
struct APR1Hash: StoredHash {
    private let salt: [UInt8]
    private let tag: Substring

    private static let magic = Array("$apr1$".utf8)
    private static let digits = Array("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    init?(_ text: String) {
        guard var fields = HashFields(text, after: "$apr1$", count: 2) else { return nil }
        salt = Array(fields.next().utf8)
        tag = fields.next()
        guard (1...8).contains(salt.count), tag.utf8.count == 22 else { return nil }
    }

    func matches(_ password: [UInt8]) throws(ProviderFault) -> Bool {
        ConstantTime.equal(Self.text(of: Self.stretched(password, salt)), Array(tag.utf8))
    }

    /// A thousand rounds that mix the digest, the password and the salt in changing order.
    private static func stretched(_ password: [UInt8], _ salt: [UInt8]) -> [UInt8] {
        var digest = first(password, salt)
        for round in 0..<1_000 {
            let isOdd = round % 2 == 1
            var input = isOdd ? password : digest
            if round % 3 != 0 { input += salt }
            if round % 7 != 0 { input += password }
            input += isOdd ? digest : password
            digest = HashFunction.md5.hash(input)
        }
        return digest
    }

    private static func first(_ password: [UInt8], _ salt: [UInt8]) -> [UInt8] {
        let inner = HashFunction.md5.hash(password + salt + password)
        var input = password + magic + salt
        for start in stride(from: 0, to: password.count, by: 16) { input += inner.prefix(password.count - start) }
        var bits = password.count
        while bits > 0 {
            input.append(bits % 2 == 1 ? 0 : password[0])
            bits /= 2
        }
        return HashFunction.md5.hash(input)
    }

    /// Base64 of its own: six groups of bytes in an order of their own, the lowest bits first.
    private static func text(of digest: [UInt8]) -> [UInt8] {
        let groups = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [11]]
        return groups.flatMap { group in
            let value = group.reduce(0) { $0 << 8 | Int(digest[$1]) }
            return (0..<(group.count == 3 ? 4 : 2)).map { digits[value >> ($0 * 6) & 0x3F] }
        }
    }
}
