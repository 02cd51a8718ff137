public import Wire

/// What a client asked, as far as it has arrived.
///
/// Cheap to pass on: headers stay where the connection read them, and are copied when they are asked for. They can be
/// asked for until the request is answered, from any thread; afterwards every header is absent, since the connection
/// may already be reading the next request into the same memory. A job that outlives its answer must take what it needs
/// before.
public struct HTTPRequest: Sendable {
    private enum Source {
        case live(Exchange)
        case fixed([(name: String, value: String)], target: String, peer: Peer)
    }

    private let source: Source
    public let method: HTTPMethod

    /// Empty until the body was read, and for ever under ``BodyPolicy/ignored``.
    public let body: [UInt8]

    /// Made by us, never taken from a client: 16 bytes as base64url, unique among all servers and starts.
    public var requestID: String {
        switch source {
        case .live(let exchange): exchange.requestID
        case .fixed: "AAAAAAAAAAAAAAAAAAAAAA"
        }
    }

    /// The request-target exactly as it was sent: never percent-decoded, never normalised.
    ///
    /// Printable ASCII or valid UTF-8 without white space; anything else was refused before.
    public var target: String {
        switch source {
        case .live(let exchange): exchange.target
        case .fixed(_, let target, _): target
        }
    }

    public var peer: Peer {
        switch source {
        case .live(let exchange): exchange.connection.peer
        case .fixed(_, _, let peer): peer
        }
    }

    init(_ exchange: Exchange, method: HTTPMethod, body: [UInt8]) {
        source = .live(exchange)
        self.method = method
        self.body = body
    }

    /// A request that came over no connection, to try handlers with.
    public init(
        _ method: HTTPMethod,
        _ target: String,
        from peer: Peer = .unixSocket,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) {
        source = .fixed(headers, target: target, peer: peer)
        self.method = method
        self.body = body
    }

    /// The value of a header, without white space around it.
    ///
    /// - Parameter name: In any case.
    public func header(_ name: StaticString) -> HeaderValue {
        switch source {
        case .live(let exchange): exchange.header(name)
        case .fixed(let headers, _, _): Self.find(name.description, in: headers)
        }
    }

    /// Every header that is well formed, in the order sent.
    public func forEachHeader(_ body: (_ name: String, _ value: String) -> Void) {
        switch source {
        case .live(let exchange): exchange.headers.forEach { body($0.name, $0.value) }
        case .fixed(let headers, _, _): headers.forEach { body($0.name, $0.value) }
        }
    }

    private static func find(_ name: String, in headers: [(name: String, value: String)]) -> HeaderValue {
        let matching = headers.filter { $0.name.lowercased() == name.lowercased() }
        guard let first = matching.first else { return .absent }
        return matching.count == 1 ? .one(first.value) : .several
    }
}

extension HTTPRequest {
    public enum HeaderValue: Equatable, Sendable {
        case absent
        case one(String)
        /// The header stands more than once. Which one counts is what smuggling is made of, so there is no "first".
        case several
        /// Not UTF-8, or with control characters other than tab.
        case malformed
    }
}

/// Who is at the other end of the connection.
public enum Peer: Hashable, Sendable {
    case address(IPAddress)
    /// Whom the permissions of the socket's file let in.
    case unixSocket
}
