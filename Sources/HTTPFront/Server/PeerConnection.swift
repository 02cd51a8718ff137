import Glibc
import Synchronization

/// One client's connection, and how long it may go on as it does.
///
/// Both its HTTP thread and the ``Reaper`` touch the socket. The descriptor is used under the lock and only while the
/// connection is open; libmicrohttpd announces the end before it closes the descriptor, so the number can't have been
/// given to another connection meanwhile.
final class PeerConnection: Sendable {
    let peer: Peer
    let serial: UInt64
    let serialSeed: UInt64
    private let descriptor: Int32
    private let deadlines: Deadlines
    private let state: Mutex<State>

    enum Phase {
        case idle
        case head
        case body
        /// Someone else's turn: the connection waits for the answer.
        case working
        case replying
        /// Refused; what still arrives is thrown away for a while.
        case lingering
        /// Shut down by us. Nothing may be written any more.
        case cut
    }

    private struct State {
        var phase = Phase.head
        var deadline: Monotonic
        var requests: UInt64 = 0
        var exchange: Exchange?
        /// Whether the client was already seen to have stopped sending.
        var isHalfClosed = false

        mutating func enter(_ phase: Phase, _ deadlines: Deadlines) {
            self.phase = phase
            deadline = deadlines.end(of: phase)
            isHalfClosed = false
        }
    }

    init(_ descriptor: Int32, peer: Peer, serial: UInt64, seed: UInt64, deadlines: Deadlines) {
        self.descriptor = descriptor
        self.peer = peer
        self.serial = serial
        serialSeed = seed
        self.deadlines = deadlines
        state = Mutex(State(deadline: deadlines.end(of: .head)))
    }

    /// The place of a new request among those of this connection.
    func nextSequence() -> UInt64 {
        state.withLock { state in
            state.requests += 1
            return state.requests
        }
    }

    func begin(_ exchange: Exchange) {
        state.withLock { state in
            state.exchange = exchange
            if state.phase != .cut { state.enter(.head, deadlines) }
        }
    }

    /// - Returns: `false` once the connection was cut: whatever is sent now would follow what was sent then.
    func enter(_ phase: Phase) -> Bool {
        state.withLock { state in
            guard state.phase != .cut else { return false }
            state.enter(phase, deadlines)
            return true
        }
    }

    func finish() {
        state.withLock { state in
            state.exchange = nil
            if state.phase != .cut { state.enter(.idle, deadlines) }
        }
    }

    /// Whether a request is in whose answer has not gone out yet.
    var isBusy: Bool {
        state.withLock { [.body, .working, .replying].contains($0.phase) }
    }
}

/// Ends that aren't the client's.
extension PeerConnection {
    /// Cuts the connection if its deadline has passed, telling a client that was in the middle of a request why.
    ///
    /// - Parameter notice: The bytes to tell it, for the ID of the request.
    func expire(at now: Monotonic, notice: (_ requestID: String) -> [UInt8]) {
        state.withLock { state in
            guard state.phase != .cut else { return }
            guard state.deadline <= now else { return endIfHalfClosed(&state) }
            if let exchange = state.exchange, state.phase == .head || state.phase == .body {
                send(notice(exchange.requestID))
            }
            cut(&state)
        }
    }

    /// Cuts a connection whose client stopped sending in the middle of a request, or after one.
    ///
    /// libmicrohttpd waits for an edge that it may have read past: when the end arrives with the last bytes it never
    /// learns of it. Cut at the second sight, so that what was just read has had time to become a request.
    private func endIfHalfClosed(_ state: inout State) {
        guard [.idle, .head, .body, .lingering].contains(state.phase) else { return }
        var byte: UInt8 = 0
        guard unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0 else { return }
        if state.isHalfClosed { cut(&state) }
        state.isHalfClosed = true
    }

    /// Tells the client something at once, and cuts the connection.
    func refuse(_ notice: [UInt8]) {
        state.withLock { state in
            guard state.phase != .cut else { return }
            send(notice)
            cut(&state)
        }
    }

    /// Tells the client something while it is sending, and lets it go on for a moment so that it gets to read it.
    func refuseUpload(_ notice: [UInt8]) {
        state.withLock { state in
            guard state.phase != .cut else { return }
            send(notice)
            shutdown(descriptor, Int32(SHUT_WR))
            state.enter(.lingering, deadlines)
        }
    }

    /// Ends the connection and with it the request that it waits for, whose job may still be running.
    func abandon() {
        let exchange = state.withLock { state in
            if state.phase != .cut { cut(&state) }
            return state.exchange
        }
        exchange?.resume(with: nil)
    }

    /// After this the descriptor is no longer ours.
    func close() {
        state.withLock { $0.phase = .cut }
    }

    private func cut(_ state: inout State) {
        state.phase = .cut
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Sends what the kernel has room for; a client that doesn't read isn't waited for.
    private func send(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { buffer in
            let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
            _ = unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, flags)
        }
    }
}
