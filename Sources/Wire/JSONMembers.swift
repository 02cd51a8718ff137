/// The members of one JSON object (RFC 8259), one level deep.
///
/// For small objects that decide something, where a second reading would be a hole: names may occur once only, and the
/// grammar is kept to the letter. What a member contains further down is checked and dropped.
public struct JSONMembers: Sendable {
    public enum Value: Equatable, Sendable {
        case string(String)
        case bool(Bool)
        case null
        /// Written in digits alone, after a minus sign at most.
        case integer(Int64)
        /// An array of nothing but strings.
        case strings([String])
        /// Another number or array, or an object.
        case other
    }

    /// How many members an object may have.
    static let maximumCount = 64

    /// How many arrays and objects may contain each other.
    private static let maximumDepth = 64

    // A list and not a dictionary: client data has four members.
    private let members: [(name: String, value: Value)]

    /// - Parameter takesUnpairedSurrogates: Whether U+FFFD stands in the place of an escaped half of a surrogate pair, so that
    ///   different strings can become one.
    /// - Throws: ``WireFault`` unless `bytes` are UTF-8 and exactly one object of at most 64 members, with white space
    ///   around it at most.
    public init(parsing bytes: [UInt8], takesUnpairedSurrogates: Bool = true) throws(WireFault) {
        var scanner = try JSONScanner(
            bytes,
            depth: Self.maximumDepth,
            unpairedSurrogates: takesUnpairedSurrogates ? .replaced : .refused
        )
        var members: [(name: String, value: Value)] = []
        members.reserveCapacity(4)
        try scanner.object { (name, value) throws(WireFault) in
            guard members.count < Self.maximumCount else {
                throw WireFault(.lengthOutOfRange(members.count + 1, allowed: 0...Self.maximumCount), at: 0)
            }
            members.append((name, value))
        }
        try scanner.finish()
        self.members = members
    }

    public subscript(name: String) -> Value? {
        // Lengths first: most names differ in it.
        members.first { $0.name.utf8.count == name.utf8.count && $0.name == name }?.value
    }
}
