import Wire

/// A stored Argon2id hash, as text: `$argon2id$v=19$m=…,t=…,p=…$salt$tag` (PHC string format).
///
/// One grammar and no leniency: parameters in this order, without leading zeros; salt and tag in unpadded base64.
struct PHCString: Equatable {
    let cost: HashCost
    let salt: [UInt8]
    let tag: [UInt8]

    /// RFC 9106 §3.1 allows more; these are lengths that somebody uses.
    private static let saltLengths = 8...64
    private static let tagLengths = 16...64

    init(cost: HashCost, salt: [UInt8], tag: [UInt8]) {
        self.cost = cost
        self.salt = salt
        self.tag = tag
    }

    /// - Returns: `nil` for anything but a hash at a cost that we are ready to pay.
    init?(_ text: String) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 6, fields[0].isEmpty, fields[1] == "argon2id", fields[2] == "v=19",
            let cost = Self.cost(fields[3]), cost.isSound, cost.isWithin(.ceiling),
            let salt = Base64URL(standard: fields[4])?.bytes, Self.saltLengths.contains(salt.count),
            let tag = Base64URL(standard: fields[5])?.bytes, Self.tagLengths.contains(tag.count)
        else { return nil }
        self.init(cost: cost, salt: salt, tag: tag)
    }

    var text: String {
        let parameters = "m=\(cost.memoryKiB),t=\(cost.passes),p=\(cost.lanes)"
        return
            "$argon2id$v=19$\(parameters)$\(Base64URL(bytes: salt).standardText)$\(Base64URL(bytes: tag).standardText)"
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
        let digits = field.dropFirst(name.count)
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), digits.first != "0" else { return nil }
        return UInt32(digits)
    }
}
