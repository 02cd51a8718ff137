public import Wire

/// One line of the access rules.
public struct AccessRule: Equatable, Sendable {
    public let host: HostPattern
    /// Empty for every path.
    public let paths: [PathPattern]
    /// Empty for every method.
    public let methods: [String]
    /// Empty for every address.
    public let networks: [IPNetwork]
    /// All of these; empty for every query.
    public let query: [QueryPattern]
    public let decision: Decision

    public enum Decision: Equatable, Sendable {
        case anyone
        case require(Requirement)
        case nobody
    }

    public init(
        host: HostPattern,
        paths: [PathPattern] = [],
        methods: [String] = [],
        networks: [IPNetwork] = [],
        query: [QueryPattern] = [],
        decision: Decision
    ) {
        self.host = host
        self.paths = paths
        self.methods = methods
        self.networks = networks
        self.query = query
        self.decision = decision
    }

    /// What a rule is to a request.
    public enum Match: Equatable, Sendable {
        case yes
        case no(Part)
        /// All else matches, and where the request comes from can't be said.
        case addressUnknown
    }

    /// The part of a rule that a request doesn't match.
    public enum Part: String, Sendable {
        case host, method, path, preflight, query, network
    }

    func match(_ request: OriginalRequest) -> Match {
        guard host.matches(request.host) else { return .no(.host) }
        guard methods.isEmpty || methods.contains(request.method) else { return .no(.method) }
        guard paths.isEmpty || paths.contains(where: { $0.matches(request.path, ignoringCase: !opens) }) else {
            return .no(.path)
        }
        guard !opensPreflights || request.isPreflight else { return .no(.preflight) }
        guard QueryPattern.match(query, request.url.target, opening: opens) else { return .no(.query) }
        guard !networks.isEmpty else { return .yes }
        guard let address = request.address else { return .addressUnknown }
        return networks.contains { $0.contains(address) } ? .yes : .no(.network)
    }

    /// A rule that opens paths means them letter by letter; one that closes them means them in any case, since the
    /// application may not tell the cases apart.
    private var opens: Bool { decision == .anyone }

    /// Browsers send no cookies with a preflight, so a rule may let those through; it then lets through nothing else
    /// (Fetch standard, "CORS-preflight request").
    private var opensPreflights: Bool { opens && methods == ["OPTIONS"] }
}

extension AccessRule {
    /// Whether no request could match another rule without matching this one.
    ///
    /// - Returns: `false` where that isn't plain to see.
    func covers(_ other: AccessRule) -> Bool {
        host.covers(other.host) && Self.covers(methods, other.methods) && coversPaths(of: other)
            && (!opensPreflights || other.opensPreflights)
            && (query.isEmpty || query == other.query && opens == other.opens)
            && (networks.isEmpty || coversNetworks(of: other))
    }

    private static func covers(_ all: [String], _ some: [String]) -> Bool {
        all.isEmpty || !some.isEmpty && some.allSatisfy(all.contains)
    }

    private func coversPaths(of other: AccessRule) -> Bool {
        guard !paths.isEmpty else { return true }
        // Letter by letter is less than in any case.
        guard !other.paths.isEmpty, !opens || other.opens else { return false }
        return other.paths.allSatisfy { path in paths.contains { $0.covers(path, ignoringCase: !opens) } }
    }

    private func coversNetworks(of other: AccessRule) -> Bool {
        !other.networks.isEmpty
            && other.networks.allSatisfy { network in networks.contains { $0.contains(network) } }
    }
}
