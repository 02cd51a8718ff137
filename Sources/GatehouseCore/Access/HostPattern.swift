import Wire

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

    /// Whether every host that matches another pattern matches this one.
    func covers(_ other: HostPattern) -> Bool { other.isWildcard ? self == other : matches(other.name) }

    public func matches(_ host: String) -> Bool {
        guard isWildcard else { return host == suffix }
        guard host.hasSuffix(suffix) else { return false }
        let label = host.utf8.count - suffix.utf8.count
        return label > 0 && !host.utf8.prefix(label).contains(UInt8(ascii: "."))
    }
}
