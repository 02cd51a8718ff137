import GatehouseCore
import Wire

/// What must hold between the addresses of the portal, their cookies, and who relies on them.
enum PortalRules {
    static func check(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        for portal in configuration.portals { checkCookie(portal, problems) }
        checkOverlaps(configuration.portals, problems)
        if let other = configuration.portals.dropFirst().first, configuration.publicOrigin.scheme != .https {
            problems.add(other.line, "portals", "further addresses need an https public_url")
        }
        checkReach(configuration, problems)
        checkCORS(configuration, problems)
    }

    /// Browsers refuse a cookie for a public suffix, an address or a domain that its sender isn't in (RFC 6265bis §5.7).
    private static func checkCookie(_ portal: PortalSettings, _ problems: ConfigurationProblems) {
        guard let domain = portal.cookieDomain else { return }
        func refuse(_ reason: String) { problems.add(portal.line, portal.domainPath, reason) }
        guard HostName.isDomain(domain), PublicSuffix.registrableDomain(of: domain) != nil else {
            return refuse("must be a domain that can be registered, in lower case, without dots at its ends")
        }
        let host = portal.origin.host
        if portal.origin.scheme != .https {
            refuse("a cookie for a whole domain needs an https public_url")
        } else if !HostName.isWithin(host, domain) {
            refuse("the public host \(host) is not within \(domain), so browsers refuse the cookie")
        }
    }

    /// A host has one portal: else browsers would send the cookies of two.
    private static func checkOverlaps(_ portals: [PortalSettings], _ problems: ConfigurationProblems) {
        for (index, portal) in portals.enumerated() {
            let other = portals[..<index].first {
                HostName.isWithin(portal.reach, $0.reach) || HostName.isWithin($0.reach, portal.reach)
            }
            guard let other else { continue }
            let reason =
                "its cookie is for \(portal.reach), and that of \(other.path) is for \(other.reach); they overlap"
            problems.add(portal.line, portal.path, reason)
        }
    }

    private static func checkReach(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        let portals = configuration.portals
        for rule in configuration.rules where needsSession(rule) && !portals.contains(where: { $0.covers(rule.host) }) {
            let reason = "no session cookie reaches \(rule.host)"
            let host = configuration.publicOrigin.host
            let remedy = "set sessions.cookie.domain to a domain that covers it and \(host), or add an entry to portals"
            problems.add(nil, "access.rules", "\(reason); \(remedy)")
        }
    }

    private static func needsSession(_ rule: AccessRule) -> Bool {
        if case .require = rule.decision { return true }
        return false
    }

    private static func checkCORS(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        for origin in configuration.corsOrigins
        where !configuration.portals.contains(where: { isOneSite(origin, $0.origin) }) {
            let reason = "is not of the same site as public_url or a portal: its requests carry no cookie"
            problems.add(nil, "cors_origins", "\(origin) \(reason)")
        }
    }

    /// A Lax cookie comes along within one site only.
    static func isOneSite(_ origin: WebOrigin, _ portal: WebOrigin) -> Bool {
        let site = PublicSuffix.registrableDomain(of: portal.host) ?? portal.host
        return origin.scheme == portal.scheme && HostName.isWithin(origin.host, site)
    }
}
