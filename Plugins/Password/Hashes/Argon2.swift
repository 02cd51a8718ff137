import CArgon2
import Crypto
public import GatehouseKit

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
    /// A hash is data: without a ceiling, one imported row with `m=4194304` takes the host down at the next sign-in. Lanes cost
    /// nothing, as one thread walks them all; Django makes hashes of eight.
    public static let ceiling = HashCost(memoryKiB: 262_144, passes: 10, lanes: 16)

    /// In bytes.
    public var memory: Int { Int(memoryKiB) * 1_024 }

    /// RFC 9106 §3.1: at least eight blocks a lane.
    var isSound: Bool { lanes >= 1 && passes >= 1 && memoryKiB / 8 >= lanes }

    func isWithin(_ limit: HashCost) -> Bool {
        memoryKiB <= limit.memoryKiB && passes <= limit.passes && lanes <= limit.lanes
    }
}

/// Argon2 (RFC 9106): through libsodium where that takes it, as its vector core needs half the time, and through libargon2,
/// which takes everything.
public enum Argon2 {
    static let saltByteCount = 16
    static let tagByteCount = 32

    /// A new Argon2id hash under a random salt, as a PHC string.
    public static func hash(_ password: [UInt8], cost: HashCost) throws(ProviderFault) -> String {
        let empty = Argon2Hash(
            cost: cost,
            salt: Random.bytes(saltByteCount),
            tag: [UInt8](repeating: 0, count: tagByteCount)
        )
        return Argon2Hash(cost: cost, salt: empty.salt, tag: try tag(of: password, empty)).text
    }

    /// Whether `password` hashes to `encoded`.
    ///
    /// Takes the time and memory that `encoded` asks for; as long for a wrong password as for the right one.
    ///
    /// - Throws: if `encoded` isn't an Argon2 string, or costs more than ``HashCost/ceiling``.
    public static func verify(_ password: [UInt8], matches encoded: String) throws(ProviderFault) -> Bool {
        guard let stored = Argon2Hash(encoded) else {
            throw ProviderFault("read password hash", code: Int(ARGON2_DECODING_FAIL.rawValue))
        }
        return try stored.matches(password)
    }

    /// A well-formed hash that nothing is known to hash to, for accounts that have none.
    static func decoy(cost: HashCost) -> Argon2Hash {
        Argon2Hash(cost: cost, salt: Random.bytes(saltByteCount), tag: Random.bytes(tagByteCount))
    }

    /// What a password hashes to under the parameters of a hash.
    static func tag(of password: [UInt8], _ hash: Argon2Hash) throws(ProviderFault) -> [UInt8] {
        VectorArgon2.takes(hash) ? try VectorArgon2.tag(of: password, hash) : try referenceTag(of: password, hash)
    }

    /// The same by libargon2 alone.
    static func referenceTag(of password: [UInt8], _ hash: Argon2Hash) throws(ProviderFault) -> [UInt8] {
        var (tag, password, salt) = ([UInt8](repeating: 0, count: hash.tag.count), password, hash.salt)
        let cost = hash.cost
        let code = unsafe tag.withUnsafeMutableBufferPointer { tag in
            unsafe password.withUnsafeMutableBufferPointer { password in
                unsafe salt.withUnsafeMutableBufferPointer { salt in
                    var context = unsafe argon2_context()
                    unsafe (context.out, context.outlen) = (tag.baseAddress, UInt32(tag.count))
                    unsafe (context.pwd, context.pwdlen) = (password.baseAddress, UInt32(password.count))
                    unsafe (context.salt, context.saltlen) = (salt.baseAddress, UInt32(salt.count))
                    unsafe (context.t_cost, context.m_cost) = (cost.passes, cost.memoryKiB)
                    unsafe (context.lanes, context.threads) = (cost.lanes, 1)
                    unsafe context.version = hash.version
                    unsafe context.flags = 0
                    unsafe (context.allocate_cbk, context.free_cbk) = (takeHashMemory, returnHashMemory)
                    return unsafe argon2_ctx(&context, hash.variant.type)
                }
            }
        }
        guard code == ARGON2_OK.rawValue else {
            let isMemory = code == ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
            throw ProviderFault("hash password", code: Int(code), kind: isMemory ? .overload : .internal)
        }
        return tag
    }
}

extension Argon2Hash {
    fileprivate var version: UInt32 { isCurrentVersion ? ARGON2_VERSION_13.rawValue : ARGON2_VERSION_10.rawValue }
}

extension Argon2Hash.Variant {
    fileprivate var type: argon2_type {
        switch self {
        case .argon2id: Argon2_id
        case .argon2i: Argon2_i
        case .argon2d: Argon2_d
        }
    }
}
