import GatehouseCore
import GatehouseKit

/// Reads `migration`.
enum MigrationSettings {
    static func read(_ section: ConfigurationSection) -> MigrationPolicy {
        defer { section.finish() }
        return MigrationPolicy(
            offering: section.choice("offer", default: .prompt),
            cadence: cadence(section),
            cohorts: cohorts(section)
        )
    }

    private static func cadence(_ section: ConfigurationSection) -> OfferCadence {
        let range = Timestamp.Span.seconds(1)...Timestamp.Span.days(365)
        let standard = OfferCadence()
        return OfferCadence(
            asks: section.integer("asks", in: 1...100, default: standard.asks),
            cooldown: section.duration("cooldown", in: range, default: standard.cooldown),
            reminder: section.duration("reminder", in: range, default: standard.reminder),
            pause: section.duration("pause", in: range, default: standard.pause),
            asksAfterAutomatic: section.flag("ask_after_automatic", default: standard.asksAfterAutomatic)
        )
    }

    private static func cohorts(_ section: ConfigurationSection) -> [MigrationCohort] {
        var names: Set<String> = [MigrationCohort.everyone]
        return (section.sections("cohorts") ?? []).compactMap { entry in
            defer { entry.finish() }
            let groups = entry.list("groups", "the name of a group") { $0.isEmpty ? nil : $0 } ?? []
            let percent = entry.integer("percent", in: 1...100, default: 100)
            guard let name = entry.value("name", "1 to 32 lower-case letters, digits and hyphens", cohortName) else {
                if !entry.has("name") { entry.problem(nil, "name", "is missing") }
                return nil
            }
            guard names.insert(name).inserted else {
                entry.problem(nil, "name", "is taken: everyone is whoever is in no other, and each name stands once")
                return nil
            }
            return MigrationCohort(name: name, groups: groups, percent: percent)
        }
    }

    private static func cohortName(_ text: String) -> String? {
        let isName =
            (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (97...122).contains(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "-")
            }
        return isName ? text : nil
    }
}
