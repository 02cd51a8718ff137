import CArgon2
import Crypto
import GatehouseKit
import Wire

/// An Argon2 hash in the PHC string format: `$argon2id$v=19$m=…,t=…,p=…$salt$tag` (RFC 9106).
///
/// One grammar and no leniency: parameters in this order, without leading zeros; salt and tag in unpadded base64. Ours are
/// argon2id of version 19; argon2i, argon2d and the version before, which is written by leaving it out, are for imports.
struct Argon2Hash: StoredHash, Equatable {
    enum Variant: String, CaseIterable {
        case argon2id, argon2i, argon2d
    }

    let variant: Variant
    /// Whether it is version 19 (1.3), as everything is that was made since 2016.
    let isCurrentVersion: Bool
    let cost: HashCost
    let salt: [UInt8]
    let tag: [UInt8]

    /// RFC 9106 §3.1 allows more; these are lengths that somebody uses.
    private static let saltLengths = 8...64
    private static let tagLengths = 16...64

    /// One of ours.
    init(cost: HashCost, salt: [UInt8], tag: [UInt8]) {
        (variant, isCurrentVersion) = (.argon2id, true)
        self.cost = cost
        self.salt = salt
        self.tag = tag
    }

    init?(_ text: String) {
        var fields = text.split(separator: "$", omittingEmptySubsequences: false)[...]
        guard fields.popFirst()?.isEmpty == true,
            let variant = fields.popFirst().flatMap({ Variant(rawValue: String($0)) })
        else { return nil }
        self.variant = variant
        isCurrentVersion = fields.first == "v=19"
        if isCurrentVersion { fields.removeFirst() }
        guard fields.count == 3, let cost = Self.cost(fields.removeFirst()), cost.isSound, cost.isWithin(.ceiling),
            let salt = Base64URL(standard: fields.removeFirst())?.bytes, Self.saltLengths.contains(salt.count),
            let tag = Base64URL(standard: fields.removeFirst())?.bytes, Self.tagLengths.contains(tag.count)
        else { return nil }
        self.cost = cost
        self.salt = salt
        self.tag = tag
    }

    var text: String {
        let version = isCurrentVersion ? "v=19$" : ""
        let parameters = "m=\(cost.memoryKiB),t=\(cost.passes),p=\(cost.lanes)"
        let (salt, tag) = (Base64URL(bytes: salt).standardText, Base64URL(bytes: tag).standardText)
        return "$\(variant.rawValue)$\(version)\(parameters)$\(salt)$\(tag)"
    }

    /// Whether it is as we would make it today.
    func isOurs(at cost: HashCost) -> Bool {
        variant == .argon2id && isCurrentVersion && self.cost == cost && salt.count == Argon2.saltByteCount
            && tag.count == Argon2.tagByteCount
    }

    var memory: Int { cost.memory }

    func matches(_ password: [UInt8]) throws(ProviderFault) -> Bool {
        ConstantTime.equal(try Argon2.tag(of: password, self), tag)
    }

    private static func cost(_ field: Substring) -> HashCost? {
        let parameters = field.split(separator: ",", omittingEmptySubsequences: false)
        guard parameters.count == 3, let memory = number(parameters[0], "m="), let passes = number(parameters[1], "t="),
            let lanes = number(parameters[2], "p=")
        else { return nil }
        return HashCost(memoryKiB: memory, passes: passes, lanes: lanes)
    }

    private static func number(_ field: Substring, _ name: String) -> UInt32? {
        guard field.hasPrefix(name) else { return nil }
        return HashFields.number(field.dropFirst(name.count)).flatMap(UInt32.init(exactly:)).flatMap {
            $0 == 0 ? nil : $0
        }
    }
}
