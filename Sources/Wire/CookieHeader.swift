/// The value of a `Cookie` header (RFC 6265 §4.2.1): `name=value` pairs.
public struct CookieHeader: Sendable {
    private let pairs: [Substring]

    public init(_ value: String) {
        pairs = value.split(separator: ";", omittingEmptySubsequences: true).map { Self.trimmed($0) }
    }

    public enum Lookup: Equatable, Sendable {
        case absent
        case one(String)
        /// More than one cookie has the name, so that nobody can say which is meant: a sibling domain can plant one.
        case several
    }

    public subscript(name: String) -> Lookup {
        let found = pairs.filter { Self.isNamed(name, $0) }
        guard let first = found.first else { return .absent }
        guard found.count == 1 else { return .several }
        return .one(String(first.utf8.dropFirst(name.utf8.count + 1)) ?? "")
    }

    /// The header without the cookies of that name, for an application that must not see them; possibly empty.
    public func removing(_ name: String) -> String {
        pairs.filter { !Self.isNamed(name, $0) }.joined(separator: "; ")
    }

    private static func isNamed(_ name: String, _ pair: Substring) -> Bool {
        pair.utf8.starts(with: name.utf8) && pair.utf8.dropFirst(name.utf8.count).first == UInt8(ascii: "=")
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
