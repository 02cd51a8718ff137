/// Rules compiled for one question, which of them is the first to match.
///
/// The first match decides; no match is no. Where a rule turns on networks and the address of a request isn't known, it is no
/// as well: whatever the rule says, it was written for requests that are known to come from somewhere.
public final class AccessRules: Sendable {
    public let rules: [AccessRule]
    /// Whether any rule asks where a request comes from.
    public let needAddress: Bool
    /// For every host that stands in a rule by name, the rules that can match it, in order.
    private let byHost: [String: [Numbered]]
    private let wildcards: [Numbered]

    private struct Numbered: Sendable {
        let index: Int
        let rule: AccessRule
    }

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
        let numbered = rules.enumerated().map { Numbered(index: $0.offset, rule: $0.element) }
        let names = Set(rules.filter { !$0.host.isWildcard }.map(\.host.name))
        byHost = names.reduce(into: [:]) { table, name in
            table[name] = numbered.filter { $0.rule.host.matches(name) }
        }
        wildcards = numbered.filter(\.rule.host.isWildcard)
    }

    public func decision(for request: OriginalRequest) -> AccessRule.Decision { ruling(on: request).decision }

    public func ruling(on request: OriginalRequest) -> Ruling {
        for numbered in byHost[request.host] ?? wildcards {
            switch numbered.rule.match(request) {
            case .no: continue
            case .yes: return Ruling(decision: numbered.rule.decision, index: numbered.index, lacksAddress: false)
            case .addressUnknown: return Ruling(decision: .nobody, index: numbered.index, lacksAddress: true)
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
        byHost[host] != nil || wildcards.contains { $0.rule.host.matches(host) }
    }

    /// Rules that can never decide, each with the earlier one that always does; both counted from 0.
    public var unreachable: [(index: Int, cover: Int)] {
        rules.indices.compactMap { index in
            rules[..<index].firstIndex { $0.covers(rules[index]) }.map { (index, $0) }
        }
    }
}
