import GatehouseCore
import GatehouseKit

/// Reads `sessions`, `portals` and `policy`.
enum SessionSettings {
    private static let year = Timestamp.Span.days(365)

    static func read(_ root: ConfigurationSection, into configuration: inout Configuration) {
        let sessions = root.section("sessions")
        let lifetimes = lifetimes(sessions, kinds: configuration.signInKinds)
        let limit = sessions.value("limit", "a whole number from 1 to 10000") { text in
            Int(text).flatMap { (1...10_000).contains($0) ? $0 : nil }
        }
        let cookie = sessions.section("cookie")
        configuration.portals = [.main(at: configuration.publicOrigin, cookie)] + PortalSettings.others(root)
        cookie.finish()
        sessions.finish()
        let policy = root.section("policy")
        configuration.session = SessionPolicy(
            fresh: policy.duration("fresh", in: .seconds(30)...(.hours(24)), default: .minutes(10)),
            settling: policy.duration("settling", in: .seconds(0)...(.days(30)), default: .hours(24)),
            lifetimes: lifetimes,
            minimum: minimum(policy),
            sessionLimit: limit
        )
        policy.finish()
    }

    private static func lifetimes(_ sessions: ConfigurationSection, kinds: [CredentialKind]) -> SessionLifetimes {
        let standard = lifetime(sessions, default: SessionLifetimes().standard)
        let byKind = sessions.section("lifetimes")
        var lifetimes: [CredentialKind: SessionLifetimes.Lifetime] = [:]
        for kind in kinds where byKind.has(kind.description) {
            let section = byKind.section(kind.description)
            lifetimes[kind] = lifetime(section, default: standard)
            section.finish()
        }
        byKind.finish()
        return SessionLifetimes(
            standard: standard,
            remembered: remembered(sessions, beside: standard),
            byKind: lifetimes,
            byGroup: byGroup(sessions) { lifetime($0, default: standard) }
        )
    }

    private static func remembered(
        _ sessions: ConfigurationSection,
        beside standard: SessionLifetimes.Lifetime
    ) -> SessionLifetimes.Lifetime? {
        let section = sessions.section("remember")
        defer { section.finish() }
        guard section.line != nil else { return nil }
        return lifetime(section, default: standard)
    }

    private static func lifetime(
        _ section: ConfigurationSection,
        default fallback: SessionLifetimes.Lifetime
    ) -> SessionLifetimes.Lifetime {
        let absolute = section.duration("absolute", in: .seconds(1)...year, default: fallback.absolute)
        let idle = section.duration("idle", in: .seconds(1)...year, default: min(fallback.idle, absolute))
        if idle > absolute { section.problem(nil, "idle", "must not be longer than absolute") }
        return SessionLifetimes.Lifetime(absolute: absolute, idle: idle)
    }

    private static func minimum(_ policy: ConfigurationSection) -> MinimumAssurance {
        MinimumAssurance(
            standard: policy.choice("assurance", default: .aal1),
            byGroup: byGroup(policy) { $0.choice("assurance", default: .aal1) }
        )
    }

    /// What holds for members of a group, one entry for each.
    private static func byGroup<Value>(
        _ section: ConfigurationSection,
        _ value: (ConfigurationSection) -> Value
    ) -> [String: Value] {
        var all: [String: Value] = [:]
        for entry in section.sections("groups") ?? [] {
            let found = value(entry)
            if let group = entry.text("group"), !group.isEmpty {
                if all.updateValue(found, forKey: group) != nil {
                    entry.problem(nil, "group", "has an entry already")
                }
            } else {
                entry.problem(nil, "group", "is missing")
            }
            entry.finish()
        }
        return all
    }
}
