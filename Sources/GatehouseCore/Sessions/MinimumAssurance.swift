public import GatehouseKit

/// How much a sign-in has to amount to, by group; the strictest of an account's counts.
public struct MinimumAssurance: Sendable {
    public let standard: Assurance
    public let byGroup: [String: Assurance]

    public init(standard: Assurance = .aal1, byGroup: [String: Assurance] = [:]) {
        self.standard = standard
        self.byGroup = byGroup
    }

    public func level(for groups: [String]) -> Assurance {
        guard !byGroup.isEmpty else { return standard }
        return groups.compactMap { byGroup[$0] }.reduce(standard, max)
    }
}
