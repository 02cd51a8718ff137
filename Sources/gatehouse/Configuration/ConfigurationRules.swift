import GatehouseCore
import HTTPFront
import Wire

/// What must hold between settings that are each fine by themselves.
enum ConfigurationRules {
    static func check(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        checkRelyingParty(configuration, problems)
        checkCookie(configuration, problems)
        checkCORS(configuration, problems)
        checkListeners(configuration, problems)
    }

    /// WebAuthn Level 3 §5.1.3: the RP ID is the origin's host or a domain above it.
    private static func checkRelyingParty(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        for origin in [configuration.publicOrigin, configuration.passkeyOrigin]
        where !isWithin(origin.host, configuration.relyingPartyID) {
            problems.add(
                nil,
                "passkeys.rp_id",
                "\(configuration.relyingPartyID) is neither the host of \(origin) nor a domain above it"
            )
            return
        }
        let labels = Set(([configuration.publicOrigin] + configuration.relatedOrigins).map { label($0.host) })
        if labels.count > 5 {
            problems.add(
                nil,
                "related_origins",
                "browsers look at five different names at most, here are \(labels.count)"
            )
        }
    }

    /// The name before the suffix, as far as that can be told without a list of public suffixes.
    private static func label(_ host: String) -> Substring {
        let labels = host.split(separator: ".")
        return labels.count > 1 ? labels[labels.count - 2] : host[...]
    }

    private static func checkCookie(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        let host = configuration.publicOrigin.host
        let path = "sessions.cookie.domain"
        if let domain = configuration.cookieDomain {
            guard HostName.normalized(domain) == domain, domain.contains("."), IPAddress(domain) == nil else {
                problems.add(
                    nil,
                    path,
                    "must be a domain of at least two names in lower case, without dots at its ends"
                )
                return
            }
            guard configuration.publicOrigin.scheme == .https else {
                problems.add(nil, path, "a cookie for a whole domain needs an https public_url")
                return
            }
            guard isWithin(host, domain) else {
                problems.add(
                    nil,
                    path,
                    "the public host \(host) is not within \(domain), so browsers refuse the cookie"
                )
                return
            }
        }
        for rule in configuration.rules where needsSession(rule) {
            let reach = configuration.cookieDomain
            guard !(reach.map { isWithin(rule.host.name, $0) } ?? (rule.host.description == host)) else { continue }
            problems.add(
                nil,
                "access.rules",
                "the session cookie does not reach \(rule.host); set \(path) to a domain that covers it and \(host)"
            )
        }
    }

    private static func needsSession(_ rule: AccessRule) -> Bool {
        if case .require = rule.decision { return true }
        return false
    }

    /// A Lax cookie comes along within one site only.
    private static func checkCORS(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        for origin in configuration.corsOrigins {
            let site = siteSuffix(configuration.publicOrigin.host)
            guard !isWithin(origin.host, site) || origin.scheme != configuration.publicOrigin.scheme else { continue }
            problems.add(
                nil,
                "cors_origins",
                "\(origin) is not of the same site as the public URL: its requests carry no cookie"
            )
        }
    }

    private static func siteSuffix(_ host: String) -> String {
        let labels = host.split(separator: ".")
        return labels.count > 2 ? labels.suffix(2).joined(separator: ".") : host
    }

    private static func checkListeners(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        let all = [configuration.listenPublic, configuration.listenCheck, configuration.listenOperations]
        let fixed = all.filter { if case .tcp(_, port: 0) = $0 { false } else { true } }
        if Set(fixed).count < fixed.count { problems.add(nil, "listen", "each listener needs an address of its own") }
    }

    private static func isWithin(_ host: String, _ domain: String) -> Bool {
        host == domain || host.hasSuffix("." + domain)
    }
}
