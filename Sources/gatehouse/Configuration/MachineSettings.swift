import GatehouseCore
import GatehouseKit

/// `machines`: what is sent with each request in place of signing in.
struct MachineSettings {
    var tokens = AccessTokenService.Limits()
    /// How long a password that was right in a header isn't hashed again.
    var basicMemory = Timestamp.Span.seconds(60)

    static func read(_ section: ConfigurationSection) -> MachineSettings {
        var settings = MachineSettings()
        let tokens = section.section("tokens")
        settings.tokens = AccessTokenService.Limits(
            longestLife: tokens.duration(
                "longest_life",
                in: AccessTokenService.shortestLife...(.days(3_650)),
                default: .days(90)
            ),
            quota: tokens.integer("quota", in: 1...1_000, default: 25)
        )
        tokens.finish()
        let basic = section.section("basic")
        settings.basicMemory = basic.duration("memory", in: .seconds(0)...(.minutes(10)), default: .seconds(60))
        basic.finish()
        section.finish()
        return settings
    }
}
