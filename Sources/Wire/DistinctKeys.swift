/// The keys of one object so far.
///
/// Compared with each other while they are few, as they mostly are, and hashed where an attacker could make that slow.
struct DistinctKeys {
    private static let few = 16

    private var list: [String] = []
    private var areASCII = true
    private var set: Set<String> = []

    init() { list.reserveCapacity(4) }

    /// - Returns: Whether the key is new.
    mutating func insert(_ key: String) -> Bool {
        guard list.count == Self.few else {
            guard !isListed(key) else { return false }
            list.append(key)
            return true
        }
        if set.isEmpty { set = Set(list) }
        return set.insert(key).inserted
    }

    /// Keys in ASCII are equal only if they are equally long, which is quickly seen; others may be two spellings of one.
    private mutating func isListed(_ key: String) -> Bool {
        areASCII = areASCII && key.utf8.allSatisfy { $0 < 0x80 }
        guard areASCII else { return list.contains(key) }
        return list.contains { $0.utf8.count == key.utf8.count && $0 == key }
    }
}
