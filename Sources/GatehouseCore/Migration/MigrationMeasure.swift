public import GatehouseKit

/// Something that is counted, by day and cohort.
public struct MigrationMeasure: Hashable, Sendable {
    public let name: Name
    /// What tells it from others of its name: an answer, a kind of credential.
    public let label: String

    public enum Name: String, CaseIterable, Codable, Sendable {
        /// Accounts that signed in with a password and had no passkey, each once.
        case eligible
        /// Accounts that were asked, each once.
        case offered
        /// Answers, by what was answered.
        case answered
        /// Accounts that got their first passkey, each once.
        case enrolled
        /// Accounts that signed in with a passkey for the first time, each once.
        case firstUsed = "first_used"
        case retired
        case reinstated
        /// Sign-ins, by kind.
        case signIn = "sign_in"
        /// Sign-ins, by kind and how long they took from the options to the end.
        case duration
        /// Accounts whose owner came back by a link or a recovery code, each time.
        case recovered
    }

    public init(_ name: Name, label: String = "") {
        self.name = name
        self.label = label
    }

    static func answered(_ answer: StoredOffer.Answer) -> Self { Self(.answered, label: answer.rawValue) }

    static func signIn(_ kind: CredentialKind) -> Self { Self(.signIn, label: kind.description) }

    static func duration(_ span: Timestamp.Span, _ kind: CredentialKind) -> Self {
        Self(.duration, label: "\(kind.description) \(DurationBucket(span).index)")
    }
}

/// How often something happened on a day in a cohort.
public struct MeasuredCount: Equatable, Sendable {
    /// Days since 1970, UTC.
    public let day: Int64
    public let cohort: String
    public let measure: MigrationMeasure
    public let count: Int64

    public init(day: Int64, cohort: String, measure: MigrationMeasure, count: Int64) {
        self.day = day
        self.cohort = cohort
        self.measure = measure
        self.count = count
    }
}

extension Timestamp {
    /// Days since 1970, UTC.
    public var day: Int64 { milliseconds / 86_400_000 }
}

/// A class of durations, each a quarter longer than the one before, from a tenth of a second to about ten minutes.
public struct DurationBucket: Equatable, Sendable {
    public let index: Int

    /// The longest of each, in milliseconds; what takes longer is in the last.
    private static let limits: [Int64] = (0..<40).reduce(into: [100]) { limits, _ in
        limits.append((limits.last ?? 100) * 5 / 4)
    }

    init(_ span: Timestamp.Span) {
        index = Self.limits.firstIndex { span.milliseconds <= $0 } ?? Self.limits.count - 1
    }

    init?(index: Int) {
        guard Self.limits.indices.contains(index) else { return nil }
        self.index = index
    }

    /// The longest duration in it.
    public var limit: Timestamp.Span { Timestamp.Span(milliseconds: Self.limits[index]) }

    /// The duration that so many of a hundred took at most.
    static func percentile(_ percent: Int, of counts: [Int: Int64]) -> Timestamp.Span? {
        let total = counts.values.reduce(0, +)
        guard total > 0 else { return nil }
        let wanted = (total * Int64(percent) + 99) / 100
        var seen: Int64 = 0
        for index in counts.keys.sorted() {
            seen += counts[index] ?? 0
            if seen >= wanted { return DurationBucket(index: index)?.limit }
        }
        return nil
    }
}
