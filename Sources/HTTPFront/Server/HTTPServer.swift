import CMicroHTTPD
import Dispatch
import Glibc
import Synchronization

/// An HTTP/1.1 server on libmicrohttpd.
///
/// It refuses what is ambiguous (two `Host`, two lengths, a length and chunks, NUL bytes, continuation lines), keeps
/// total deadlines, and hands on the target as it was sent. What libmicrohttpd 0.9.75 answers before we see a request is
/// its own: a request line it can't read (400, or closing), another major version (505), a `Content-Length` that isn't a
/// number (400, 413; it writes the head of that reply twice, then closes), chunks it can't read (400), and a head that
/// doesn't fit the connection's memory (414, 431).
///
/// The process ignores SIGPIPE once a server was made.
public final class HTTPServer: Sendable {
    /// With the port that was chosen.
    public let boundAddress: ListenAddress

    private let core: ServerCore
    private let listening: ListeningSocket
    private let life: Mutex<Life>

    @safe
    private enum Life {
        case serving(OpaquePointer)
        case quiescing(OpaquePointer)
        case ended
    }

    /// Listens, and serves from threads of its own until ``stop(within:)``.
    ///
    /// - Parameters:
    ///   - threads: Each takes its share of the connections; one for each core is most.
    public init(
        listeningOn address: ListenAddress,
        limits: HTTPLimits = .init(),
        threads: Int,
        responder: any HTTPResponder
    ) throws(HTTPServerError) {
        signal(SIGPIPE, SIG_IGN)
        listening = try ListeningSocket(address)
        boundAddress = listening.address
        core = ServerCore(responder, limits, at: address)
        do throws(HTTPServerError) {
            life = try Self.begin(core, listening, threads: threads)
        } catch {
            // The descriptor itself is libmicrohttpd's to close, even if it fails.
            listening.refuseConnections()
            throw error
        }
    }

    private static func begin(
        _ core: ServerCore,
        _ listening: ListeningSocket,
        threads: Int
    ) throws(HTTPServerError) -> Mutex<Life> {
        try core.reaper.start()
        guard let daemon = unsafe startDaemon(core, listening, threads: threads) else {
            core.reaper.stop()
            throw .cannotStart
        }
        return unsafe Mutex(.serving(daemon))
    }

    private static func startDaemon(_ core: ServerCore, _ listening: ListeningSocket, threads: Int) -> OpaquePointer? {
        let threads = UInt32(clamping: max(1, threads))
        var settings = unsafe mhd_settings()
        unsafe settings.listening = listening.descriptor
        unsafe settings.threads = threads
        // It divides them among its threads, and at its own limit stops accepting instead of answering; so ours, which
        // counts all threads together, must be the one that is met.
        unsafe settings.connections = UInt32(clamping: (core.limits.connections + 64) * Int(threads))
        unsafe settings.connectionMemory = core.limits.connectionMemory
        unsafe settings.context = Unmanaged.passUnretained(core).toOpaque()
        unsafe settings.access = requestAdvanced
        unsafe settings.requestLine = requestLineArrived
        unsafe settings.unescape = keepEscapes
        unsafe settings.completed = requestEnded
        unsafe settings.connection = connectionChanged
        return unsafe mhd_start(&settings)
    }

    deinit {
        stop(within: .zero)
    }
}

extension HTTPServer {
    /// Refuses new connections from now on, and ends the others with their next answer.
    ///
    /// The file of a Unix socket goes at once, so that a successor can take its place.
    public func quiesce() {
        life.withLock { life in
            guard case .serving(let daemon) = life else { return }
            core.beginQuiescing()
            listening.refuseConnections()
            unsafe life = .quiescing(daemon)
        }
    }

    /// Stops serving: waits until requests in flight are answered, at most for `limit`, and all threads have ended.
    ///
    /// A job that answers afterwards is ignored; the first call counts, others return at once. Must not be called from a
    /// responder.
    public func stop(within limit: Duration) {
        quiesce()
        let daemon = unsafe life.withLock { life -> OpaquePointer? in
            guard case .quiescing(let daemon) = life else { return nil }
            life = .ended
            return unsafe daemon
        }
        guard let daemon = unsafe daemon else { return }
        waitForRequests(until: .now() + .nanoseconds(Int(clamping: limit.clampedNanoseconds)))
        core.beginStopping()
        // libmicrohttpd aborts the process when it is stopped with a suspended connection.
        for connection in core.connections.all { connection.abandon() }
        unsafe MHD_stop_daemon(daemon)
        core.reaper.stop()
    }

    private func waitForRequests(until deadline: DispatchTime) {
        while core.connections.all.contains(where: \.isBusy) {
            guard core.requestEnded.wait(timeout: deadline) == .success else { return }
        }
    }
}
