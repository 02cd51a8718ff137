/// The name of an algorithm, an attribute or an extension in X.509: an ASN.1 object identifier.
public struct OID: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The content of its DER element.
    public let encoded: [UInt8]

    public init(encoded: [UInt8]) { self.encoded = encoded }

    /// - Parameter dotted: At least two numbers with dots between them, in source; stops the process for another text.
    public init(stringLiteral dotted: StaticString) {
        let arcs = dotted.description.split(separator: ".").compactMap { UInt32($0) }
        precondition(arcs.count >= 2, "an object identifier has two numbers at least")
        let rest = arcs.dropFirst(2).flatMap(Self.groups)
        encoded = Self.groups(arcs[0] * 40 + arcs[1]) + rest
    }

    /// Groups of seven bits, the top one marking all but the last (X.690 §8.19.2).
    private static func groups(_ number: UInt32) -> [UInt8] {
        var groups = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            groups.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return groups
    }
}
