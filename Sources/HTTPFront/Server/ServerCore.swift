import CMicroHTTPD
import Dispatch
import Synchronization
import Wire

/// What the callbacks of a server share; it lives until its last thread has ended.
final class ServerCore: Sendable {
    let responder: any HTTPResponder
    let limits: HTTPLimits
    let connections: ConnectionRegistry
    let reaper: Reaper
    /// Who a peer is that has no IP address: whoever opened the Unix socket, and nobody on a TCP one.
    let peerWithoutAddress: Peer
    /// Signalled for every request that ends while the server is being stopped.
    let requestEnded = DispatchSemaphore(value: 0)

    private let deadlines: Deadlines
    private let seed = UInt64.random(in: .min ... .max)
    private let serials = Atomic<UInt64>(0)
    private let quiescing = Atomic(false)
    private let stopping = Atomic(false)

    init(_ responder: any HTTPResponder, _ limits: HTTPLimits, at address: ListenAddress) {
        peerWithoutAddress = if case .unix = address { .unixSocket } else { .address(IPAddress(ipv4: 0)) }
        self.responder = responder
        self.limits = limits
        deadlines = Deadlines(limits)
        connections = ConnectionRegistry(limits)
        reaper = Reaper(connections, shortestDeadline: limits.shortestDeadline) {
            RawReply.bytes(responder.refuse(.timeout, requestID: $0))
        }
    }

    /// No new connections; those there are end with their next answer.
    var isQuiescing: Bool { quiescing.load(ordering: .acquiring) }
    func beginQuiescing() { quiescing.store(true, ordering: .releasing) }

    /// No more waiting: a request that isn't answered now never is.
    var isStopping: Bool { stopping.load(ordering: .acquiring) }
    func beginStopping() { stopping.store(true, ordering: .releasing) }
}

/// Connections come and go.
extension ServerCore {
    func opened(_ descriptor: Int32, from peer: Peer) -> PeerConnection {
        let serial = serials.add(1, ordering: .relaxed).newValue
        let connection = PeerConnection(descriptor, peer: peer, serial: serial, seed: seed, deadlines: deadlines)
        switch connections.admit(connection) {
        case .first: reaper.connectionOpened()
        case .further: break
        case .refused:
            // Before the client has said anything: it gets no place to wait in.
            let reply = responder.refuse(.tooManyConnections, requestID: Exchange.id(of: connection, request: 0))
            connection.refuse(RawReply.bytes(reply))
        }
        return connection
    }

    func closed(_ connection: PeerConnection) {
        connections.remove(connection)
        connection.close()
    }

    func finished(_ exchange: Exchange) {
        exchange.close()
        exchange.connection.finish()
        if isQuiescing { requestEnded.signal() }
    }
}
