/// The value of a `Cookie` header (RFC 6265 §4.2.1): `name=value` pairs.
public struct CookieHeader: Sendable {
    private let bytes: [UInt8]

    public init(_ value: String) { bytes = Array(value.utf8) }

    public enum Lookup: Equatable, Sendable {
        case absent
        case one(String)
        /// More than one cookie has the name, so that nobody can say which is meant: a sibling domain can plant one.
        case several
    }

    public subscript(name: String) -> Lookup {
        let name = Array(name.utf8)
        var found: ArraySlice<UInt8>?
        var start = 0
        while let pair = nextPair(from: &start) {
            guard Self.isNamed(name, pair) else { continue }
            guard found == nil else { return .several }
            found = pair.dropFirst(name.count + 1)
        }
        return found.map { .one(String(decoding: $0, as: UTF8.self)) } ?? .absent
    }

    /// The header without the cookies of that name, for an application that must not see them; possibly empty.
    public func removing(_ name: String) -> String {
        let name = Array(name.utf8)
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var start = 0
        while let pair = nextPair(from: &start) {
            guard !Self.isNamed(name, pair), !pair.isEmpty else { continue }
            if !kept.isEmpty { kept += [UInt8(ascii: ";"), UInt8(ascii: " ")] }
            kept += pair
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// The next pair without the white space around it, possibly empty; `nil` at the end.
    private func nextPair(from start: inout Int) -> ArraySlice<UInt8>? {
        guard start < bytes.count else { return nil }
        var stop = start
        while stop < bytes.count, bytes[stop] != UInt8(ascii: ";") { stop += 1 }
        var (first, last) = (start, stop)
        while first < last, Self.isSpace(bytes[first]) { first += 1 }
        while last > first, Self.isSpace(bytes[last - 1]) { last -= 1 }
        start = stop + 1
        return bytes[first..<last]
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isNamed(_ name: [UInt8], _ pair: ArraySlice<UInt8>) -> Bool {
        pair.count > name.count && pair.starts(with: name) && pair[pair.startIndex + name.count] == UInt8(ascii: "=")
    }
}
