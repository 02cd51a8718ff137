/// The members of one JSON object (RFC 8259), one level deep.
///
/// For small objects that decide something, where a second reading would be a hole: names may occur once only, and the
/// grammar is kept to the letter. What a member contains further down is checked and dropped. Calls don't nest, whatever
/// the input does.
public struct JSONMembers: Sendable {
    public enum Value: Equatable, Sendable {
        case string(String)
        case bool(Bool)
        case null
        /// A number, array or object.
        case other
    }

    struct Member: Sendable {
        let name: String
        let value: Value
    }

    /// How many members an object may have, so that looking for one in a list stays cheap.
    static let maximumCount = 64

    private let members: [Member]

    /// - Throws: ``WireFault`` unless `bytes` are UTF-8 and exactly one object of at most 64 members, with white space
    ///   around it at most.
    public init(parsing bytes: [UInt8]) throws(WireFault) {
        let span = bytes.span
        guard (try? UTF8Span(validating: span)) != nil else { throw WireFault(.notUTF8, at: 0) }
        var scanner = JSONScanner(span)
        members = try scanner.members(span)
        try scanner.finish(span)
    }

    public subscript(name: String) -> Value? {
        members.first { $0.name == name }?.value
    }
}
