public import GatehouseKit

/// A personal access token as its owner sees it: everything but the secret.
public struct StoredAccessToken: Equatable, Sendable {
    public let id: CredentialID
    public let account: AccountID
    public let name: String
    public let scope: AccessScope
    public let createdAt: Timestamp
    public let expiresAt: Timestamp
    public let lastUsedAt: Timestamp?

    public init(
        id: CredentialID,
        account: AccountID,
        name: String,
        scope: AccessScope,
        createdAt: Timestamp,
        expiresAt: Timestamp,
        lastUsedAt: Timestamp? = nil
    ) {
        self.id = id
        self.account = account
        self.name = name
        self.scope = scope
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
    }
}

/// What a token narrows its owner's reach down to.
public struct AccessScope: Equatable, Sendable {
    /// One at least.
    public let hosts: [HostPattern]
    /// Empty for every path.
    public let paths: [PathPattern]
    /// Empty for every method.
    public let methods: [String]

    /// How many of each there may be.
    public static let sizes = 0...32

    /// - Returns: `nil` without a host, or with more than there may be of anything.
    public init?(hosts: [HostPattern], paths: [PathPattern] = [], methods: [String] = []) {
        guard !hosts.isEmpty, [hosts.count, paths.count, methods.count].allSatisfy(Self.sizes.contains) else {
            return nil
        }
        self.hosts = hosts
        self.paths = paths
        self.methods = methods
    }

    /// Letter by letter: what opens a path opens no other spelling of it.
    func covers(_ request: OriginalRequest) -> Bool {
        hosts.contains { $0.matches(request.host) } && (paths.isEmpty || paths.contains { $0.matches(request.path) })
            && (methods.isEmpty || methods.contains(request.method))
    }
}
