import CArgon2
import Crypto
public import GatehouseKit
import Wire

/// The cost of one Argon2id hash (RFC 9106 §3.1).
public struct HashCost: Equatable, Sendable {
    public let memoryKiB: UInt32
    public let passes: UInt32
    public let lanes: UInt32

    /// OWASP's recommended minimum by default; about 20 ms on one core.
    public init(memoryKiB: UInt32 = 19_456, passes: UInt32 = 2, lanes: UInt32 = 1) {
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
    }

    /// The most a stored hash may ask for.
    ///
    /// A hash is data: without a ceiling, one imported row with `m=4194304` takes the host down at the next sign-in.
    public static let ceiling = HashCost(memoryKiB: 262_144, passes: 10, lanes: 4)

    /// RFC 9106 §3.1: at least eight blocks a lane.
    var isSound: Bool { lanes >= 1 && passes >= 1 && memoryKiB / 8 >= lanes }

    func isWithin(_ limit: HashCost) -> Bool {
        memoryKiB <= limit.memoryKiB && passes <= limit.passes && lanes <= limit.lanes
    }
}

/// Argon2id through libargon2, on PHC strings: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
public enum Argon2 {
    static let saltByteCount = 16
    static let tagByteCount = 32

    /// A new hash under a random salt.
    public static func hash(_ password: [UInt8], cost: HashCost) throws(ProviderFault) -> String {
        let salt = Random.bytes(saltByteCount)
        var encoded = [CChar](repeating: 0, count: 256)
        let code = unsafe argon2id_hash_encoded(
            cost.passes,
            cost.memoryKiB,
            cost.lanes,
            password,
            password.count,
            salt,
            salt.count,
            tagByteCount,
            &encoded,
            encoded.count
        )
        guard code == ARGON2_OK.rawValue else { throw fault("hash password", code) }
        return String(decoding: encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether `password` hashes to `encoded`.
    ///
    /// Takes the time and memory that `encoded` asks for; as long for a wrong password as for the right one.
    ///
    /// - Throws: if `encoded` isn't an Argon2id string, or costs more than ``HashCost/ceiling``.
    public static func verify(_ password: [UInt8], matches encoded: String) throws(ProviderFault) -> Bool {
        guard isUsable(encoded) else {
            throw ProviderFault("read password hash", code: Int(ARGON2_DECODING_FAIL.rawValue))
        }
        let code = unsafe argon2id_verify(encoded, password, password.count)
        switch argon2_error_codes(code) {
        case ARGON2_OK: return true
        case ARGON2_VERIFY_MISMATCH: return false
        default: throw fault("verify password", code)
        }
    }

    /// Whether a stored string is an Argon2id hash at a cost that we are ready to pay.
    static func isUsable(_ encoded: String) -> Bool {
        HashCost(encoded: encoded).map { $0.isSound && $0.isWithin(.ceiling) } ?? false
    }

    /// A well-formed hash that nothing is known to hash to, for accounts that have none.
    static func decoy(cost: HashCost) -> String {
        let salt = Base64URL(bytes: Random.bytes(saltByteCount)).standardText
        let tag = Base64URL(bytes: Random.bytes(tagByteCount)).standardText
        return "$argon2id$v=19$m=\(cost.memoryKiB),t=\(cost.passes),p=\(cost.lanes)$\(salt)$\(tag)"
    }

    private static func fault(_ operation: StaticString, _ code: Int32) -> ProviderFault {
        let isMemory = code == ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
        return ProviderFault(operation, code: Int(code), kind: isMemory ? .overload : .internal)
    }
}

extension HashCost {
    init?(encoded: String) {
        let fields = encoded.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 6, fields[0].isEmpty, fields[1] == "argon2id", fields[2] == "v=19" else { return nil }
        let parameters = fields[3].split(separator: ",", omittingEmptySubsequences: false)
        guard parameters.count == 3, let memory = Self.number(parameters[0], "m="),
            let passes = Self.number(parameters[1], "t="), let lanes = Self.number(parameters[2], "p=")
        else { return nil }
        self.init(memoryKiB: memory, passes: passes, lanes: lanes)
    }

    private static func number(_ field: Substring, _ name: String) -> UInt32? {
        guard field.hasPrefix(name) else { return nil }
        let digits = field.dropFirst(name.count)
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), digits.first != "0" else { return nil }
        return UInt32(digits)
    }
}
