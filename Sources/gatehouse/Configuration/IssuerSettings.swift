import GatehouseKit
import OpenIDConnectProvider
import Wire

/// An issuer whose ID tokens sign people in.
struct IssuerSettings {
    let issuer: TokenIssuer
    let keys: KeySetSource
    /// Whether machines may send its tokens with their requests.
    let takesMachines: Bool
    /// `nil` for other issuers, and without the team's key.
    var apple: AppleKeySettings?
    /// `nil` for other issuers, and where browsers aren't sent to Apple.
    var web: AppleWebSettings?

    var kind: CredentialKind { issuer.kind }

    private static let appleKeys = "https://appleid.apple.com/auth/keys"

    /// Reads `providers.apple`.
    ///
    /// - Parameter isEnabled: Where it is not, the keys have to be right all the same, but nothing has to be there.
    static func readApple(
        _ section: ConfigurationSection,
        isEnabled: Bool,
        environment: [String: String]
    ) -> IssuerSettings {
        let issuers = section.restriction("issuers", name, identifier)
        let clientIDs = isEnabled ? clientIDs(section) : section.list("client_ids", client, identifier) ?? []
        var settings = IssuerSettings(
            section,
            kind: .apple,
            rules: IDTokenRules(
                issuers: issuers.isEmpty ? [TokenIssuer.apple] : issuers,
                clientIDs: clientIDs,
                algorithms: [.rs256]
            ),
            keysURL: section.value("keys_url", url, fetchable) ?? appleKeys,
            isTrustedWithEmail: true
        )
        settings.apple = AppleKeySettings.read(section, environment: environment)
        settings.web = AppleWebSettings.read(section, clientIDs: clientIDs)
        return settings
    }

    /// Reads one entry of `providers.oidc`.
    static func readIssuer(_ section: ConfigurationSection) -> IssuerSettings {
        defer { section.finish() }
        let kind = section.required("name", "1 to 27 lower-case letters, digits and hyphens") {
            CredentialKind(issuerNamed: $0)
        }
        let clientIDs = clientIDs(section)
        let algorithms = section.restriction("algorithms", "RS256 or ES256", TokenAlgorithm.init(rawValue:))
        // Nobody gets to see what stands in for a value that is missing: that is a problem, and stops the start.
        return IssuerSettings(
            section,
            kind: kind ?? .apple,
            rules: IDTokenRules(
                issuers: section.requiredList("issuers", name, identifier),
                clientIDs: clientIDs,
                algorithms: algorithms.isEmpty ? [.rs256] : algorithms
            ),
            machineAudiences: machineAudiences(section, apartFrom: clientIDs),
            keysURL: section.required("keys_url", url, fetchable) ?? "",
            isTrustedWithEmail: section.flag("trust_email", default: false)
        )
    }

    private init(
        _ section: ConfigurationSection,
        kind: CredentialKind,
        rules: IDTokenRules,
        machineAudiences: [String] = [],
        keysURL: String,
        isTrustedWithEmail: Bool
    ) {
        takesMachines = !machineAudiences.isEmpty
        issuer = TokenIssuer(
            kind: kind,
            rules: rules,
            machineAudiences: machineAudiences,
            isTrustedWithEmail: isTrustedWithEmail
        )
        keys = KeySetSource(
            kind: kind,
            url: keysURL,
            refresh: section.duration("keys_refresh", in: .seconds(1)...(.days(1)), default: .hours(1)),
            cooldown: section.duration("keys_cooldown", in: .seconds(1)...(.hours(1)), default: .seconds(60)),
            maximumAge: section.duration("keys_maximum_age", in: .seconds(1)...(.days(7)), default: .days(1))
        )
        if keys.maximumAge < keys.refresh {
            section.problem(nil, "keys_maximum_age", "must not be shorter than keys_refresh")
        }
    }

    /// Without one, tokens for any app would do; so there is no such thing.
    private static func clientIDs(_ section: ConfigurationSection) -> [String] {
        section.requiredList("client_ids", client, identifier)
    }

    /// Apart from the clients: a token for a sign-in must not do for a request.
    private static func machineAudiences(_ section: ConfigurationSection, apartFrom clients: [String]) -> [String] {
        let audiences = section.restriction("machine_audiences", client, identifier)
        if let both = audiences.first(where: clients.contains) {
            section.problem(
                nil,
                "machine_audiences",
                "\(both) is one of client_ids; tokens for sign-ins are for nothing else"
            )
        }
        return audiences
    }

    private static let client = "an app or service identifier, without spaces"
    private static let name = "an issuer as its tokens name it, such as https://accounts.example.com"
    static let url = "an https URL"

    /// Kept as it is: it is compared with what tokens say, byte for byte.
    private static func identifier(_ text: String) -> String? {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : nil
    }

    static func fetchable(_ text: String) -> String? {
        guard let url = WebURL(text), url.origin.scheme == .https else { return nil }
        return text
    }
}
