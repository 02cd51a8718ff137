public import GatehouseKit

/// How long sessions live; where several of these apply, the strictest counts.
public struct SessionLifetimes: Sendable {
    /// For kinds without an entry of their own.
    public let standard: Lifetime
    /// In place of ``standard``, for people who asked to stay signed in; `nil` where nobody may.
    public let remembered: Lifetime?
    public let byKind: [CredentialKind: Lifetime]
    /// For accounts in a group, beside what their credentials say.
    public let byGroup: [String: Lifetime]

    public struct Lifetime: Equatable, Sendable {
        public let absolute: Timestamp.Span
        public let idle: Timestamp.Span

        public init(absolute: Timestamp.Span, idle: Timestamp.Span) {
            self.absolute = absolute
            self.idle = idle
        }
    }

    public init(
        standard: Lifetime = Lifetime(absolute: .hours(24), idle: .hours(1)),
        remembered: Lifetime? = nil,
        byKind: [CredentialKind: Lifetime] = [:],
        byGroup: [String: Lifetime] = [:]
    ) {
        self.standard = standard
        self.remembered = remembered
        self.byKind = byKind
        self.byGroup = byGroup
    }

    /// How long a session lives that may only enrol a credential.
    static let enrollment = Lifetime(absolute: .minutes(15), idle: .minutes(15))

    /// What holds for a piece of evidence, in a session of an account in these groups.
    func lifetime(of kind: CredentialKind, groups: [String], isRemembered: Bool) -> Lifetime {
        let fallback = isRemembered ? remembered ?? standard : standard
        let all = [byKind[kind] ?? fallback] + groups.compactMap { byGroup[$0] }
        return Lifetime(
            absolute: all.map(\.absolute).min() ?? fallback.absolute,
            idle: all.map(\.idle).min() ?? fallback.idle
        )
    }
}
