public import Wire

/// Where a server listens: `127.0.0.1:9091`, `[::1]:9091` or `unix:/run/gatehouse/check.sock`.
public enum ListenAddress: Hashable, Sendable {
    /// Port 0 takes a free one. An IPv6 address takes IPv6 only, `::` included.
    case tcp(IPAddress, port: UInt16)
    case unix(path: String)
}

extension ListenAddress: LosslessStringConvertible {
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            self.init(path: text.dropFirst("unix:".count))
        } else {
            self.init(hostAndPort: text)
        }
    }

    private init?(path: Substring) {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else { return nil }
        self = .unix(path: String(path))
    }

    private init?(hostAndPort text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[colon...].dropFirst()) else { return nil }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard let address = IPAddress(String(isBracketed ? host.dropFirst().dropLast() : host)) else { return nil }
        guard isBracketed == host.contains(":") else { return nil }
        self = .tcp(address, port: port)
    }

    private static func port(_ digits: Substring) -> UInt16? {
        guard digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return UInt16(digits)
    }

    public var description: String {
        switch self {
        case .tcp(let address, let port): address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
