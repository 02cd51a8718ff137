public import Wire

/// What one client may take of the server.
///
/// libmicrohttpd knows only idle time, so a client that sends a byte now and then would live for ever; the deadlines
/// here are total. They are kept to within a tenth of the shortest one, and to within a second.
public struct HTTPLimits: Sendable {
    /// Request line and headers with all their line ends, in bytes.
    public var headerBytes = 16 * 1_024
    public var headerCount = 100
    /// The request-target, in bytes.
    public var targetBytes = 8 * 1_024

    /// Connections in all; the next one is told 503 and closed.
    public var connections = 1_000
    /// Connections of one address; Unix sockets have none, and aren't counted.
    public var connectionsPerAddress = 100
    /// Connections of one loopback address or ``proxies``, which is where a reverse proxy connects from.
    public var connectionsPerProxy = 1_000
    /// Networks of reverse proxies.
    public var proxies: [IPNetwork] = []

    /// From the first line to the empty one, and from the connection to the first line.
    public var headDeadline = Duration.seconds(10)
    /// From the end of the head to the end of the body.
    public var bodyDeadline = Duration.seconds(30)
    /// From the reply until the client has taken it.
    public var replyDeadline = Duration.seconds(60)
    /// From one request to the next on a connection.
    public var idleDeadline = Duration.seconds(60)

    public init() {}

    /// How long a client whose upload was refused may go on sending before it is cut.
    ///
    /// Closing at once would reset the connection, and the client might never read why.
    static let lingering = Duration.seconds(2)

    /// Bytes of memory for each connection.
    ///
    /// Holds a head of the allowed size, the table of headers (64 bytes each), the head of the reply, and the copy that
    /// libmicrohttpd makes of cookies if they are at most half of the head. What doesn't fit it answers itself: 431, or
    /// 414 in the request line. Not more than needed, because it writes zeros over all of it after each request: with
    /// 48 KiB that was a tenth of the time an access check takes.
    var connectionMemory: Int { max(16 * 1_024, 2 * headerBytes) }

    var shortestDeadline: Duration {
        min(headDeadline, bodyDeadline, replyDeadline, idleDeadline)
    }
}
