/// A long JSON object that is checked whole and read in parts: the text of each member, and of each element of one array.
///
/// Decoders make a tree of all they are given first, which for a document of megabytes is many times its size.
public struct JSONDocument: Sendable {
    private let bytes: [UInt8]
    private let members: [String: Range<Int>]
    private let elements: [Range<Int>]

    /// - Parameters:
    ///   - bytes: One object (RFC 8259), as strictly read as by ``StrictJSON``.
    ///   - array: The member whose elements are to be read one by one.
    ///   - depth: How many arrays and objects may stand in each other.
    public init(parsing bytes: [UInt8], dividing array: String, depth: Int = 16) throws(WireFault) {
        var scanner = try JSONScanner(bytes, depth: depth, unpairedSurrogates: .refused)
        var members: [String: Range<Int>] = [:]
        var elements: [Range<Int>] = []
        try scanner.members { (key, scanner) throws(WireFault) in
            if key == array {
                try scanner.elements { (scanner) throws(WireFault) in elements.append(try scanner.range()) }
            } else {
                members[key] = try scanner.range()
            }
        }
        try scanner.finish()
        self.bytes = bytes
        self.members = members
        self.elements = elements
    }

    /// How many elements the array has; none where there is no such array.
    public var count: Int { elements.count }

    /// The text of an element of the array.
    ///
    /// - Parameter index: Less than ``count``.
    public func element(_ index: Int) -> [UInt8] { Array(bytes[elements[index]]) }

    /// The text of another member; `nil` where there is none.
    public subscript(name: String) -> [UInt8]? { members[name].map { Array(bytes[$0]) } }
}
