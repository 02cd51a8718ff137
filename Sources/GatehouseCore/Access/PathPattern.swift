public import Wire

/// A path in an access rule: segments, where `*` stands for any one and a final `**` for any number, also none.
///
/// `/api` matches `/api` and `/api/` alone; `/api/**` matches `/api` and everything below, and not `/apix`.
public struct PathPattern: Hashable, Sendable, CustomStringConvertible {
    private enum Segment: Hashable {
        case literal(String)
        case any
    }

    private let segments: [Segment]
    private let foldedSegments: [Segment]
    private let isOpenEnded: Bool
    public let description: String

    /// - Returns: `nil` for text that isn't a path, or where `**` stands anywhere but at the end.
    public init?(_ text: String) {
        guard let path = RequestPath(text) else { return nil }
        isOpenEnded = path.segments.last == "**"
        let fixed = isOpenEnded ? path.segments.dropLast() : path.segments[...]
        guard !fixed.contains(where: { $0.contains("**") || ($0.contains("*") && $0 != "*") }) else { return nil }
        segments = fixed.map { $0 == "*" ? .any : .literal($0) }
        foldedSegments = fixed.map { $0 == "*" ? .any : .literal($0.lowercased()) }
        description = text
    }

    /// The first segment of all that it matches, in lower case, empty for `/` alone; `nil` for any.
    var firstSegment: String? {
        switch foldedSegments.first {
        case .literal(let name): name
        case .any: nil
        case nil: isOpenEnded ? nil : ""
        }
    }

    /// Whether every path that matches another pattern matches this one.
    func covers(_ other: PathPattern, ignoringCase: Bool) -> Bool {
        let (mine, theirs) =
            ignoringCase ? (foldedSegments, other.foldedSegments) : (segments, other.segments)
        guard isOpenEnded ? theirs.count >= mine.count : theirs.count == mine.count && !other.isOpenEnded else {
            return false
        }
        return zip(mine, theirs).allSatisfy { $0 == .any || $0 == $1 }
    }

    /// - Parameter ignoringCase: Whether `/ADMIN` is `/admin`.
    public func matches(_ path: RequestPath, ignoringCase: Bool = false) -> Bool {
        guard isOpenEnded ? path.segments.count >= segments.count : path.segments.count == segments.count else {
            return false
        }
        let (pattern, found) = ignoringCase ? (foldedSegments, path.foldedSegments) : (segments, path.segments)
        return zip(pattern, found).allSatisfy { $0 == .any || $0 == .literal($1) }
    }
}
