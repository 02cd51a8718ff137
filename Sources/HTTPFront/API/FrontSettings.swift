import GatehouseKit
public import Wire

/// What the HTTP front takes from configuration, and nothing of it from a request.
public struct FrontSettings: Sendable {
    let portals: PortalAddresses
    /// The one that requests are answered at.
    private(set) var portal: PortalAddress
    /// Whether people may ask to stay signed in.
    public let offersToRemember: Bool
    public let trustedProxies: TrustedProxies
    /// Hosts, besides the portal's own, that people may be sent back to.
    public let isCovered: @Sendable (_ host: String) -> Bool
    /// What the portal calls itself.
    public let name: String
    /// How many attempts an address has in a minute.
    public let attemptsPerMinute: Int
    /// Whether apps are served: native ceremonies, their tokens, and what only apps have.
    public let servesApps: Bool

    public init(
        portals: PortalAddresses,
        offersToRemember: Bool = false,
        trustedProxies: TrustedProxies,
        isCovered: @escaping @Sendable (String) -> Bool,
        name: String,
        attemptsPerMinute: Int,
        servesApps: Bool = true
    ) {
        self.portals = portals
        portal = portals.main
        self.offersToRemember = offersToRemember
        self.trustedProxies = trustedProxies
        self.isCovered = isCovered
        self.name = name
        self.attemptsPerMinute = attemptsPerMinute
        self.servesApps = servesApps
    }

    /// Where people reach the portal.
    var publicOrigin: WebOrigin { portal.origin }
    var cookie: SessionCookie { portal.cookie }

    /// The same for requests that are answered at another address.
    func at(_ portal: PortalAddress) -> FrontSettings {
        var settings = self
        settings.portal = portal
        return settings
    }

    /// The origins that a browser's request may come from.
    func allows(origin: String) -> Bool {
        origin == publicOrigin.description || portal.corsOrigins.contains { $0.description == origin }
    }

    /// A return address, if people may be sent there.
    ///
    /// The scheme is https, or http on localhost; the port is the scheme's own or the portal's, and on localhost any. Hosts
    /// that people sign in for at another address are none of this one's.
    public func returnURL(_ text: String) -> WebURL? {
        guard let url = WebURL(text) else { return nil }
        if url.origin == publicOrigin { return url }
        guard isCovered(url.origin.host), portals.serving(url.origin.host) === portal else { return nil }
        switch url.origin.scheme {
        case .http: return url.origin.isLocalhost && publicOrigin.isLocalhost ? url : nil
        case .https: return url.origin.port == nil || url.origin.port == publicOrigin.port ? url : nil
        }
    }
}

/// The cookie that carries a browser's session; name and attributes follow from configuration alone.
public struct SessionCookie: Sendable {
    public let name: String
    /// What its sessions are bound to, as in ``GatehouseCore/SessionToken/realm``.
    let realm: String
    /// Whether browsers forget it when they are closed, unless its owner asked to stay signed in.
    let endsWithBrowser: Bool
    private let attributes: String

    /// The longest that browsers keep a cookie: 400 days (RFC 6265bis §5.5).
    private static let maximumAge: Int64 = 400 * 86_400

    init(origin: WebOrigin, domain: String?, realm: String, endsWithBrowser: Bool) {
        self.realm = realm
        self.endsWithBrowser = endsWithBrowser
        let isSecure = origin.scheme == .https
        // A prefix makes the browser hold us to the attributes (RFC 6265bis §4.1.3).
        name = !isSecure ? "gatehouse" : domain == nil ? "__Host-gatehouse" : "__Secure-gatehouse"
        attributes =
            "; Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
            + (domain.map { "; Domain=\($0)" } ?? "")
    }

    /// - Parameter lifetime: `nil` for as long as the browser is open.
    func setting(_ token: String, for lifetime: Timestamp.Span?) -> (String, String) {
        guard let lifetime else { return ("Set-Cookie", "\(name)=\(token)\(attributes)") }
        let age = max(1, min(lifetime.wholeSeconds, Self.maximumAge))
        return ("Set-Cookie", "\(name)=\(token)\(attributes); Max-Age=\(age)")
    }

    /// Deletes exactly the cookie that ``setting(_:for:)`` sets.
    var clearing: (String, String) { ("Set-Cookie", "\(name)=\(attributes); Max-Age=0") }
}

/// Peers whose word about the original request is taken.
public struct TrustedProxies: Sendable {
    public let networks: [IPNetwork]
    private let trustsUnixSocket: Bool

    /// An empty list trusts nobody.
    public init(networks: [IPNetwork], unixSocket: Bool) {
        self.networks = networks
        trustsUnixSocket = unixSocket
    }

    func contains(_ peer: Peer) -> Bool {
        switch peer {
        case .address(let address): contains(address)
        case .unixSocket: trustsUnixSocket
        }
    }

    func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// The address a request came from: the last hop that is no proxy of ours.
    ///
    /// - Returns: `nil` if that can't be said, because a trusted proxy says something else than addresses.
    func client(of request: HTTPRequest) -> IPAddress? {
        guard case .address(let peer) = request.peer, !contains(peer) else { return forwarded(request) }
        return peer
    }

    /// The address of the visitor that a proxy asks about.
    ///
    /// - Returns: `nil` if the proxy names none, or none that isn't a proxy itself.
    func visitor(of request: HTTPRequest) -> IPAddress? {
        guard case .one(let list) = request.header("X-Forwarded-For") else { return nil }
        return stranger(in: list) ?? nil
    }

    private func forwarded(_ request: HTTPRequest) -> IPAddress? {
        let direct: IPAddress? = if case .address(let peer) = request.peer { peer } else { nil }
        guard contains(request.peer) else { return direct }
        switch request.header("X-Forwarded-For") {
        case .absent: return direct
        case .several, .malformed: return nil
        case .one(let list):
            guard let found = stranger(in: list) else { return nil }
            return found ?? direct
        }
    }

    /// The last hop of a list that is no proxy of ours; the outer `nil` is for a list that can't be read up to there.
    private func stranger(in list: String) -> IPAddress?? {
        for hop in list.split(separator: ",", omittingEmptySubsequences: false).reversed() {
            guard let address = IPAddress(String(hop.drop { $0 == " " }.prefix { $0 != " " })) else { return nil }
            if !contains(address) { return .some(address) }
        }
        return .some(nil)
    }
}
