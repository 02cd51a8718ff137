/// The keys of one object so far.
///
/// Compared with each other while they are few, as they mostly are, and hashed where an attacker could make that slow.
struct DistinctKeys {
    private static let few = 16

    private var list: [String] = []
    private var set: Set<String> = []

    init() { list.reserveCapacity(4) }

    /// - Returns: Whether the key is new.
    mutating func insert(_ key: String) -> Bool {
        guard list.count == Self.few else {
            guard !list.contains(key) else { return false }
            list.append(key)
            return true
        }
        if set.isEmpty { set = Set(list) }
        return set.insert(key).inserted
    }
}
