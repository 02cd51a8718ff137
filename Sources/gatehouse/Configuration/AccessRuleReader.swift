import GatehouseCore
import GatehouseKit
import Wire

/// Reads one entry of `access.rules`.
enum AccessRuleReader {
    /// - Returns: `nil` if something was reported.
    static func read(_ section: ConfigurationSection, kinds: [CredentialKind]) -> AccessRule? {
        let host = section.value("host", "a host name, or *. and a domain", HostPattern.init)
        let paths = section.restriction("paths", "a path such as /public/**", PathPattern.init)
        let methods = section.restriction("methods", "a method such as GET", method)
        let networks = section.restriction("networks", "a network such as 10.0.0.0/8", IPNetwork.init)
        let query = query(section)
        let decision = decision(section, kinds)
        section.finish()
        guard let host else {
            if section.line != nil, !section.problems.lines.contains(where: { $0.contains(section.path + ".host") }) {
                section.problem(nil, "host", "is missing")
            }
            return nil
        }
        return decision.map { decision in
            AccessRule(
                host: host,
                paths: paths,
                methods: methods,
                networks: networks,
                query: query,
                decision: decision
            )
        }
    }

    /// Parameters, each with its value or `*` for any.
    private static func query(_ section: ConfigurationSection) -> [QueryPattern] {
        let isStated = section.has("query")
        let query = section.section("query")
        let patterns = query.texts().map { QueryPattern(name: $0.name, value: $0.value == "*" ? nil : $0.value) }
        if isStated, patterns.isEmpty {
            section.problem(nil, "query", "names no parameter; leave it out for any query")
        }
        query.finish()
        return patterns
    }

    private static func method(_ text: String) -> String? {
        text.utf8.allSatisfy { (65...90).contains($0) } && !text.isEmpty ? text : nil
    }

    private enum Allowed: String, CaseIterable { case anyone, nobody }

    private static func decision(_ section: ConfigurationSection, _ kinds: [CredentialKind]) -> AccessRule.Decision? {
        let isRequiring = section.has("require")
        guard section.has("allow") != isRequiring else {
            section.problem(nil, "allow", "a rule says either allow or require")
            _ = (section.take("allow"), section.take("require"))
            return nil
        }
        if isRequiring { return .require(requirement(section.section("require"), kinds)) }
        let allowed: Allowed = section.choice("allow", default: .nobody)
        return allowed == .anyone ? .anyone : .nobody
    }

    private static func requirement(_ section: ConfigurationSection, _ known: [CredentialKind]) -> Requirement {
        defer { section.finish() }
        let names = known.map(\.description).joined(separator: ", ")
        let machines = CredentialKind.machineKinds + known.filter(\.isIssuer)
        let machineNames = machines.map(\.description).joined(separator: ", ")
        let kinds = section.restriction("kinds", "one of \(names)") { text in
            known.first { $0.description == text }
        }
        let age = Timestamp.Span.seconds(1)...Timestamp.Span.days(365)
        return Requirement(
            kinds: kinds,
            groups: section.restriction("groups", "a group") { $0.isEmpty ? nil : $0 },
            assurance: section.choice("assurance", default: .aal1),
            authenticatedWithin: section.has("authenticated_within")
                ? section.duration("authenticated_within", in: age, default: .minutes(10)) : nil,
            machines: section.restriction("machines", "one of \(machineNames)") { text in
                machines.first { $0.description == text }
            }
        )
    }
}
