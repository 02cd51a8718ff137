import Wire

/// Rules compiled for one question, which of them is the first to match.
///
/// The first match decides; no match is no. Where a rule turns on networks and the address of a request isn't known, it is no
/// as well: whatever the rule says, it was written for requests that are known to come from somewhere.
public final class AccessRules: Sendable {
    public let rules: [AccessRule]
    /// Whether any rule asks where a request comes from.
    public let needAddress: Bool
    /// For every host that stands in a rule by name, the rules that can match it.
    private let byHost: [String: Candidates]
    private let wildcards: Candidates

    /// What becomes of a request before anybody looks at a session.
    public struct Ruling: Equatable, Sendable {
        public let decision: AccessRule.Decision
        /// The rule that decided, counted from 0; `nil` if none matched.
        public let index: Int?
        /// Whether it would have taken the visitor's address to tell.
        public let lacksAddress: Bool
    }

    public init(_ rules: [AccessRule]) {
        self.rules = rules
        needAddress = rules.contains { !$0.networks.isEmpty }
        let names = Set(rules.filter { !$0.host.isWildcard }.map(\.host.name))
        byHost = names.reduce(into: [:]) { table, name in
            table[name] = Candidates(rules.indices.filter { rules[$0].host.matches(name) }, of: rules)
        }
        wildcards = Candidates(rules.indices.filter { rules[$0].host.isWildcard }, of: rules)
    }

    public func decision(for request: OriginalRequest) -> AccessRule.Decision { ruling(on: request).decision }

    public func ruling(on request: OriginalRequest) -> Ruling {
        for index in (byHost[request.host] ?? wildcards).inOrder(for: request.path) {
            switch rules[index].match(request) {
            case .no: continue
            case .yes: return Ruling(decision: rules[index].decision, index: index, lacksAddress: false)
            case .addressUnknown: return Ruling(decision: .nobody, index: index, lacksAddress: true)
            }
        }
        return Ruling(decision: .nobody, index: nil, lacksAddress: false)
    }

    /// What each rule is to a request, in order, up to the one that decides.
    public func trace(of request: OriginalRequest) -> [AccessRule.Match] {
        let end = ruling(on: request).index.map { $0 + 1 } ?? rules.count
        return rules[..<end].map { $0.match(request) }
    }

    /// Whether any rule could match this host.
    public func covers(_ host: String) -> Bool {
        byHost[host] != nil || rules.contains { $0.host.isWildcard && $0.host.matches(host) }
    }

    /// Rules that can never decide, each with the earlier one that always does; both counted from 0.
    public var unreachable: [(index: Int, cover: Int)] {
        rules.indices.compactMap { index in
            rules[..<index].firstIndex { $0.covers(rules[index]) }.map { (index, $0) }
        }
    }
}

/// The rules that can match one host, found by the first segment of a path: their number costs a check nothing.
private struct Candidates: Sendable {
    private let byFirstSegment: [String: [Int]]
    /// Those for paths that begin with anything.
    private let others: [Int]

    /// - Parameter indices: Of the rules for this host, in order.
    init(_ indices: [Int], of rules: [AccessRule]) {
        let segments = indices.map { index in (index: index, first: rules[index].firstSegments) }
        others = segments.filter { $0.first == nil }.map(\.index)
        byFirstSegment = Set(segments.flatMap { $0.first ?? [] }).reduce(into: [:]) { table, segment in
            table[segment] = segments.filter { $0.first?.contains(segment) ?? true }.map(\.index)
        }
    }

    func inOrder(for path: RequestPath) -> [Int] { byFirstSegment[path.foldedSegments.first ?? ""] ?? others }
}

extension AccessRule {
    /// What a path that it matches begins with, in lower case and empty for `/`; `nil` for anything.
    fileprivate var firstSegments: Set<String>? {
        let firsts = paths.map(\.firstSegment)
        return firsts.isEmpty || firsts.contains(nil) ? nil : Set(firsts.compactMap(\.self))
    }
}
