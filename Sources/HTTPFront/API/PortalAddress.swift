public import Wire

/// One address at which people reach the portal and the API, and the hosts that its cookie covers.
///
/// A class, so that a check takes no copies of what it has a look at.
public final class PortalAddress: Sendable {
    public let origin: WebOrigin
    /// Other pages of the same site that may call the API from a browser.
    let corsOrigins: [WebOrigin]
    let cookie: SessionCookie
    let signInURL: String
    private let domain: String?
    private let suffix: String

    /// - Parameters:
    ///   - isMain: Whether its sessions go by their token alone. Those of every other address are bound to its domain.
    ///   - cookieDomain: `nil` for a cookie of the one host.
    ///   - endsWithBrowser: Whether browsers forget the cookie when they are closed.
    public init(
        _ origin: WebOrigin,
        isMain: Bool,
        corsOrigins: [WebOrigin] = [],
        cookieDomain: String? = nil,
        endsWithBrowser: Bool = false
    ) {
        self.origin = origin
        self.corsOrigins = corsOrigins
        domain = cookieDomain
        suffix = "." + (cookieDomain ?? origin.host)
        cookie = SessionCookie(
            origin: origin,
            domain: cookieDomain,
            realm: isMain ? "" : cookieDomain ?? origin.host,
            endsWithBrowser: endsWithBrowser
        )
        signInURL = "\(origin)/sign-in"
    }

    /// Whether browsers send the cookie to a host (RFC 6265bis §5.1.3).
    func covers(_ host: String) -> Bool {
        guard let domain else { return host == origin.host }
        return host == domain || host.hasSuffix(suffix)
    }
}

/// Every address of the portal.
///
/// No two of their cookies cover the same host.
public struct PortalAddresses: Sendable {
    let main: PortalAddress
    let others: [PortalAddress]

    public init(main: PortalAddress, others: [PortalAddress] = []) {
        self.main = main
        self.others = others
    }

    /// The address where people sign in for a host: the one whose cookie covers it, or the main one where none does.
    func serving(_ host: String) -> PortalAddress {
        guard !others.isEmpty else { return main }
        return others.first { $0.covers(host) } ?? main
    }
}
