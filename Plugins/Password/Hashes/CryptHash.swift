import CCrypt
import CSodium
import Crypto
import GatehouseKit

/// What crypt(3) makes, through libxcrypt: bcrypt (`$2a$`, `$2b$`, `$2y$`), sha256crypt (`$5$`), sha512crypt (`$6$`),
/// yescrypt (`$y$`) and md5crypt (`$1$`).
struct CryptHash: StoredHash {
    private let text: String

    /// 2 to this power rounds of bcrypt; about a second.
    private static let maximumBcryptCost = 14
    private static let maximumRounds = 1_000_000
    /// bcrypt looks at so many bytes and ignores the rest.
    private static let bcryptLength = 72

    init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }), Self.isPayable(text) else {
            return nil
        }
        self.text = text
    }

    private static func isPayable(_ text: String) -> Bool {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count >= 4, fields[0].isEmpty else { return false }
        switch (fields[1], fields.count) {
        case ("2a", 4), ("2b", 4), ("2y", 4): return isPayableBcrypt(cost: fields[2], hash: fields[3])
        case ("1", 4): return isDigest(fields[3], 22)
        case ("5", 4): return isDigest(fields[3], 43)
        case ("6", 4): return isDigest(fields[3], 86)
        case ("5", 5): return isPayableRounds(fields[2]) && isDigest(fields[4], 43)
        case ("6", 5): return isPayableRounds(fields[2]) && isDigest(fields[4], 86)
        case ("y", 5): return isPayableYescrypt(fields[2]) && isDigest(fields[4], 43)
        default: return false
        }
    }

    private static let digits = Array("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// Whether it is as long as what crypt(3) writes; one that was cut off would match nothing for ever.
    private static func isDigest(_ field: Substring, _ count: Int) -> Bool {
        field.utf8.count == count && field.utf8.allSatisfy(digits.contains)
    }

    private static func isPayableBcrypt(cost: Substring, hash: Substring) -> Bool {
        guard cost.utf8.count == 2, let cost = Int(cost), isDigest(hash, 53) else { return false }
        return (4...maximumBcryptCost).contains(cost)
    }

    private static func isPayableRounds(_ field: Substring) -> Bool {
        guard field.hasPrefix("rounds="), let rounds = HashFields.number(field.dropFirst(7)) else { return false }
        return (1_000...maximumRounds).contains(rounds)
    }

    /// At most 2^16 blocks of 32, which are 256 MiB.
    private static func isPayableYescrypt(_ parameters: Substring) -> Bool {
        guard let cost = yescryptCost(parameters) else { return false }
        return cost.logN <= 16 && cost.blockSize <= 32
    }

    /// `j`, then the power of two and the block size in one digit each, less one.
    private static func yescryptCost(_ parameters: Substring) -> (logN: Int, blockSize: Int)? {
        let places = parameters.utf8.dropFirst().compactMap { digits.firstIndex(of: $0) }
        guard parameters.first == "j", parameters.utf8.count == 3, places.count == 2 else { return nil }
        return (places[0] + 1, places[1] + 1)
    }

    /// yescrypt takes memory worth counting; the others take kilobytes.
    var memory: Int {
        let fields = text.split(separator: "$")
        guard fields.first == "y", fields.count > 1, let cost = Self.yescryptCost(fields[1]) else { return 0 }
        return 128 * cost.blockSize << cost.logN
    }

    func covers(_ password: [UInt8]) -> Bool { !text.hasPrefix("$2") || password.count <= Self.bcryptLength }

    func matches(_ password: [UInt8]) throws(ProviderFault) -> Bool {
        // A C string ends at its first zero; prepared passwords have none.
        guard !password.contains(0) else { return false }
        let data = UnsafeMutablePointer<crypt_data>.allocate(capacity: 1)
        defer {
            unsafe sodium_memzero(data, MemoryLayout<crypt_data>.size)
            unsafe data.deallocate()
        }
        unsafe data.initialize(to: crypt_data())
        let phrase = (password + [0]).map { CChar(bitPattern: $0) }
        let size = CInt(MemoryLayout<crypt_data>.size)
        guard let made = unsafe crypt_rn(phrase, text, data, size) else { return false }
        return ConstantTime.equal(Array(unsafe String(cString: made).utf8), Array(text.utf8))
    }
}
