import FoundationEssentials
import GatehouseCore
import GatehouseKit
import PasswordProvider
import Wire

/// `providers.password`.
struct PasswordSettings {
    var minimumLength = 15
    /// Where the policy asks for a second factor beside it.
    var minimumLengthOfTwo = 8
    var blocked: PasswordList?
    var breachFile: BreachFile?
    /// Where `breachFile` isn't set.
    var breachService: String?
    var isBreachCheckRequired = false

    private enum Unreachable: String, CaseIterable { case accept, refuse }

    /// In bytes; a million passwords are about ten million.
    private static let largestBlockList = 64 << 20

    static func read(_ section: ConfigurationSection) -> PasswordSettings {
        var settings = PasswordSettings()
        settings.minimumLength = section.integer("minimum_length", in: 8...64, default: 15)
        settings.minimumLengthOfTwo = section.integer("minimum_length_with_second_factor", in: 8...64, default: 8)
        settings.blocked = section.value("block_list", "a text file of at most 64 MiB", blockList)
        let breaches = section.section("breaches")
        let form = "a readable file with lines such as 000000005AD76BD555C1D6D771DE417A4B87E4B4:10"
        settings.breachFile = breaches.value("file", form, BreachFile.init)
        settings.breachService = breaches.value("url", "an https URL that ends with a slash") {
            $0.hasPrefix("https://") && $0.hasSuffix("/") ? $0 : nil
        }
        let unreachable: Unreachable = breaches.choice("unreachable", default: .accept)
        settings.isBreachCheckRequired = unreachable == .refuse
        if settings.breachFile != nil, settings.breachService != nil {
            breaches.problem(nil, "url", "and file are two ways to the same; set one of them")
        }
        breaches.finish()
        return settings
    }

    private static func blockList(_ path: String) -> PasswordList? {
        guard let file = try? Data(contentsOf: URL(filePath: path)), file.count <= largestBlockList else { return nil }
        return PasswordList([UInt8](file))
    }
}

extension Configuration {
    func passwordPolicy(_ log: Log) -> PasswordPolicy {
        let service = passwords.breachService.map { Breaches.Source.service(url: $0, client) }
        let source = passwords.breachFile.map { Breaches.Source.file($0) } ?? service
        return PasswordPolicy(
            minimumLength: { [minimum = session.minimum, passwords] account in
                let standsAlone = minimum.level(for: account.groups) < .aal2
                return standsAlone ? passwords.minimumLength : passwords.minimumLengthOfTwo
            },
            names: [name, publicOrigin.host],
            blocked: passwords.blocked,
            breaches: source.map { Breaches($0, isRequired: passwords.isBreachCheckRequired, log: log) }
        )
    }
}
