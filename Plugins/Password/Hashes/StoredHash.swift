import GatehouseKit
import Wire

/// A password hash as it is stored: ours, or one that another system made.
///
/// A hash is data from outside, and checking it costs what it says; so whatever asks for more than we are ready to pay is
/// none, and is refused before any work is done for it.
protocol StoredHash: Sendable {
    /// - Returns: `nil` for text of another form, and for one that costs too much.
    init?(_ text: String)

    /// What checking it takes, in bytes, where that is worth counting.
    var memory: Int { get }

    /// - Throws: if that couldn't be found out.
    func matches(_ password: [UInt8]) throws(ProviderFault) -> Bool

    /// Whether every byte of the password counts.
    ///
    /// If not, the password is more than what is known to be right, and no better hash can be made of it.
    func covers(_ password: [UInt8]) -> Bool
}

extension StoredHash {
    var memory: Int { 0 }

    func covers(_ password: [UInt8]) -> Bool { true }
}

/// The forms that are understood.
enum HashForms {
    private static let all: [any StoredHash.Type] = [
        Argon2Hash.self, CryptHash.self, ScryptHash.self, FirebaseHash.self, PBKDF2Hash.self, DigestHash.self,
        LDAPHash.self, APR1Hash.self,
    ]

    /// In characters of the text; the longest real ones have a few hundred.
    private static let maximumLength = 2_048

    /// - Parameter budget: What a hash may take, in bytes.
    /// - Returns: `nil` for text that is no hash, or one that costs too much.
    static func parse(_ text: String, within budget: Int) -> (any StoredHash)? {
        guard text.utf8.count <= maximumLength, let hash = all.lazy.compactMap({ $0.init(text) }).first else {
            return nil
        }
        return hash.memory <= budget ? hash : nil
    }
}

/// The fields of a hash between dollar signs, each read once.
struct HashFields {
    private var rest: ArraySlice<Substring>

    /// - Parameters:
    ///   - prefix: What the text has to begin with, the dollar sign behind it included.
    ///   - count: How many fields have to follow.
    init?(_ text: String, after prefix: String, count: Int) {
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        rest = text.dropFirst(prefix.count).split(separator: "$", omittingEmptySubsequences: false)[...]
        guard rest.count == count else { return nil }
    }

    mutating func next() -> Substring { rest.popFirst() ?? "" }

    /// Base64 of the standard alphabet, with or without padding; with dots for plus signs, as passlib writes it.
    mutating func nextBytes() -> [UInt8]? { Base64.bytes(next().map { $0 == "." ? "+" : $0 }) }

    /// Named numbers in a fixed order: `ln=16,r=8,p=1`.
    mutating func nextNumbers(_ names: String...) -> [Int]? {
        let parts = next().split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == names.count else { return nil }
        let numbers = zip(parts, names).compactMap { part, name in
            part.hasPrefix("\(name)=") ? Self.number(part.dropFirst(name.count + 1)) : nil
        }
        return numbers.count == names.count ? numbers : nil
    }

    mutating func nextNumber() -> Int? { Self.number(next()) }

    /// Decimal digits, at most nine of them, without leading zeros.
    static func number(_ digits: Substring) -> Int? {
        guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
            digits.first != "0" || digits.utf8.count == 1
        else { return nil }
        return Int(digits)
    }
}

/// Base64 as other systems write it.
enum Base64 {
    /// - Returns: `nil` for anything but the standard alphabet, padded or not.
    static func bytes(_ text: some Sequence<Character>) -> [UInt8]? {
        let characters = Array(text)
        let digits = characters.reversed().drop { $0 == "=" }.reversed()
        guard characters.count - digits.count <= 2 else { return nil }
        return Base64URL(standard: String(digits))?.bytes
    }
}
