import GatehouseCore
import HTTPFront
import Wire

/// One address of the portal, and the hosts that its cookie covers.
struct PortalSettings {
    let origin: WebOrigin
    /// `nil` for a cookie of the one host.
    let cookieDomain: String?
    /// Where it stands in the file, for what is said about it.
    let path: String
    let domainPath: String
    let line: Int?

    /// The host or the domain that the cookie is for.
    var reach: String { cookieDomain ?? origin.host }

    /// Whether browsers send the cookie to every host of a pattern.
    func covers(_ hosts: HostPattern) -> Bool {
        cookieDomain.map { HostName.isWithin(hosts.name, $0) } ?? (hosts.description == origin.host)
    }

    /// The main address, which `public_url` names.
    static func main(at origin: WebOrigin, _ cookie: ConfigurationSection) -> PortalSettings {
        PortalSettings(
            origin: origin,
            cookieDomain: cookie.text("domain"),
            path: "public_url",
            domainPath: "sessions.cookie.domain",
            line: cookie.line
        )
    }

    /// Reads `portals`: the addresses beside the main one, as `related_origins` are those beside it.
    static func others(_ root: ConfigurationSection) -> [PortalSettings] {
        (root.sections("portals") ?? []).compactMap { entry in
            defer { entry.finish() }
            let origin = entry.required(
                "public_url",
                "an https origin without a path, of a name that can be registered",
                named
            )
            let domain = entry.text("cookie_domain")
            return origin.map {
                PortalSettings(
                    origin: $0,
                    cookieDomain: domain,
                    path: "\(entry.path).public_url",
                    domainPath: "\(entry.path).cookie_domain",
                    line: entry.line
                )
            }
        }
    }

    /// Browsers know no passkeys of addresses and public suffixes, and http is for one machine alone.
    private static func named(_ text: String) -> WebOrigin? {
        guard let origin = PublicURL.parse(text), origin.scheme == .https, HostName.isDomain(origin.host),
            PublicSuffix.registrableDomain(of: origin.host) != nil
        else { return nil }
        return origin
    }
}

extension Configuration {
    var portalAddresses: PortalAddresses {
        let all = portals.enumerated().map { index, portal in
            PortalAddress(
                portal.origin,
                isMain: index == 0,
                corsOrigins: corsOrigins.filter { PortalRules.isOneSite($0, portal.origin) },
                cookieDomain: portal.cookieDomain,
                endsWithBrowser: session.lifetimes.remembered != nil
            )
        }
        return PortalAddresses(main: all[0], others: Array(all.dropFirst()))
    }
}
