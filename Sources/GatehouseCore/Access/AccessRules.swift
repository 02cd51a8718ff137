public import Wire

/// One line of the access rules.
public struct AccessRule: Equatable, Sendable {
    public let host: HostPattern
    /// Empty for every path.
    public let paths: [PathPattern]
    /// Empty for every method.
    public let methods: [String]
    public let decision: Decision

    public enum Decision: Equatable, Sendable {
        case anyone
        case require(Requirement)
        case nobody
    }

    public init(host: HostPattern, paths: [PathPattern] = [], methods: [String] = [], decision: Decision) {
        self.host = host
        self.paths = paths
        self.methods = methods
        self.decision = decision
    }

    /// A rule that opens paths means them letter by letter; one that closes them means them in any case, since the
    /// application may not tell the cases apart.
    func matches(_ request: OriginalRequest) -> Bool {
        host.matches(request.host) && (methods.isEmpty || methods.contains(request.method))
            && (paths.isEmpty || paths.contains { $0.matches(request.path, ignoringCase: decision != .anyone) })
            && (!opensPreflights || request.isPreflight)
    }

    /// Browsers send no cookies with a preflight, so a rule may let those through; it then lets through nothing else
    /// (Fetch standard, "CORS-preflight request").
    private var opensPreflights: Bool { decision == .anyone && methods == ["OPTIONS"] }
}

/// The request that a reverse proxy asks about.
public struct OriginalRequest: Equatable, Sendable {
    public let method: String
    /// Lower case, without a port.
    public let host: String
    public let path: RequestPath
    /// As the visitor's browser would ask for it again.
    public let url: WebURL
    /// Whether it carries `Origin` and `Access-Control-Request-Method`.
    public let isPreflight: Bool

    public init(method: String, url: WebURL, path: RequestPath, isPreflight: Bool) {
        self.method = method
        self.url = url
        host = url.origin.host
        self.path = path
        self.isPreflight = isPreflight
    }
}

/// A host name, or `*.` and the domain whose subdomains are meant, one label deep.
public struct HostPattern: Hashable, Sendable, CustomStringConvertible {
    /// With a leading dot for a wildcard.
    private let suffix: String
    public let isWildcard: Bool

    public init?(_ text: String) {
        isWildcard = text.hasPrefix("*.")
        guard let name = HostName.normalized(isWildcard ? text.dropFirst(2) : text[...]) else { return nil }
        suffix = isWildcard ? "." + name : name
    }

    /// The host, or the domain under which the wildcard stands.
    public var name: String { isWildcard ? String(suffix.dropFirst()) : suffix }

    public var description: String { isWildcard ? "*" + suffix : suffix }

    public func matches(_ host: String) -> Bool {
        guard isWildcard else { return host == suffix }
        guard host.hasSuffix(suffix) else { return false }
        let label = host.utf8.count - suffix.utf8.count
        return label > 0 && !host.utf8.prefix(label).contains(UInt8(ascii: "."))
    }
}

/// Rules compiled for one question, which of them is the first to match.
///
/// The first match decides; no match is no.
public struct AccessRules: Sendable {
    public let rules: [AccessRule]
    /// For every host that stands in a rule by name, the rules that can match it, in order.
    private let byHost: [String: [AccessRule]]
    private let wildcards: [AccessRule]

    public init(_ rules: [AccessRule]) {
        self.rules = rules
        let names = Set(rules.filter { !$0.host.isWildcard }.map(\.host.name))
        byHost = names.reduce(into: [:]) { table, name in table[name] = rules.filter { $0.host.matches(name) } }
        wildcards = rules.filter(\.host.isWildcard)
    }

    public func decision(for request: OriginalRequest) -> AccessRule.Decision {
        (byHost[request.host] ?? wildcards).first { $0.matches(request) }?.decision ?? .nobody
    }

    /// Whether any rule could match this host.
    public func covers(_ host: String) -> Bool {
        byHost[host] != nil || wildcards.contains { $0.host.matches(host) }
    }
}
