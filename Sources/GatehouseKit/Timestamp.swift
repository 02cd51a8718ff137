import FoundationEssentials

/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// Saturates instead of trapping: a lifetime may come from a configuration file.
    public static func + (time: Self, span: Span) -> Self {
        let (sum, overflow) = time.milliseconds.addingReportingOverflow(span.milliseconds)
        return Self(milliseconds: overflow ? (span.milliseconds < 0 ? .min : .max) : sum)
    }

    public static func - (time: Self, span: Span) -> Self { time + Span(milliseconds: -span.milliseconds) }

    public static func - (left: Self, right: Self) -> Span {
        Span(milliseconds: left.milliseconds.subtractingReportingOverflow(right.milliseconds).partialValue)
    }

    /// RFC 3339 in UTC, to the millisecond: `2026-07-30T12:00:00.000Z`.
    public var rfc3339: String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Midnight of a day, UTC.
    ///
    /// - Parameter date: As RFC 3339 writes it: `2026-07-30`.
    public init?(date: String) {
        let style = Date.ISO8601FormatStyle().year().month().day()
        guard let parsed = try? style.parse(date) else { return nil }
        self.init(milliseconds: Int64(parsed.timeIntervalSince1970) * 1_000)
        guard rfc3339.prefix(10) == date else { return nil }
    }

    /// A length of time in milliseconds.
    public struct Span: Hashable, Comparable, Sendable {
        public let milliseconds: Int64

        public init(milliseconds: Int64) { self.milliseconds = milliseconds }

        public static func seconds(_ count: Int64) -> Self { Self(milliseconds: count * 1_000) }
        public static func minutes(_ count: Int64) -> Self { seconds(count * 60) }
        public static func hours(_ count: Int64) -> Self { minutes(count * 60) }
        public static func days(_ count: Int64) -> Self { hours(count * 24) }

        public var wholeSeconds: Int64 { milliseconds / 1_000 }

        public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
    }
}

extension Timestamp: Encodable {
    /// As RFC 3339 text, the form of every time in the HTTP interface.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rfc3339)
    }
}
