import Wire

/// A parameter that the query of a request has to have, and what it has to be.
public struct QueryPattern: Hashable, Sendable {
    public let name: String
    /// `nil` for any value.
    public let value: String?

    public init(name: String, value: String? = nil) {
        self.name = name
        self.value = value
    }

    /// Whether all of these are in a query.
    ///
    /// Servers read a parameter that stands twice, or an escape that is broken, each in their own way. A rule that opens means
    /// what every server would read; one that closes, what any of them might.
    static func match(_ patterns: [QueryPattern], _ target: String, opening: Bool) -> Bool {
        guard !patterns.isEmpty else { return true }
        let query = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first ?? ""
        guard let fields = PercentEncoding.form(String(query)) else { return !opening }
        return patterns.allSatisfy { pattern in
            let values = fields.filter { pattern.names($0.name, opening: opening) }.map(\.value)
            guard let value = pattern.value else { return !values.isEmpty }
            return opening ? values == [value] : values.contains(value)
        }
    }

    private func names(_ other: String, opening: Bool) -> Bool {
        opening ? name == other : name.lowercased() == other.lowercased()
    }
}
