import Dispatch
import Glibc
import Synchronization

/// A thread that ends connections whose time is up.
///
/// It sleeps while there are no connections; otherwise it looks at all of them every tenth of the shortest deadline, and
/// at least once a second.
final class Reaper: Sendable {
    private let connections: ConnectionRegistry
    private let notice: @Sendable (_ requestID: String) -> [UInt8]
    private let interval: DispatchTimeInterval
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let isStopping = Atomic(false)

    /// - Parameter notice: What a client is told that was in the middle of a request.
    init(
        _ connections: ConnectionRegistry,
        shortestDeadline: Duration,
        notice: @escaping @Sendable (_ requestID: String) -> [UInt8]
    ) {
        self.connections = connections
        self.notice = notice
        let tenth = shortestDeadline.clampedNanoseconds / 10
        interval = .nanoseconds(Int(min(max(tenth, 10_000_000), 1_000_000_000)))
    }

    func start() throws(HTTPServerError) {
        var thread = pthread_t()
        let argument = unsafe Unmanaged.passRetained(self)
        guard unsafe pthread_create(&thread, nil, runReaper, argument.toOpaque()) == 0 else {
            unsafe argument.release()
            throw .cannotStart
        }
        pthread_detach(thread)
    }

    /// Says that there may be a first connection.
    func connectionOpened() {
        wake.signal()
    }

    /// Ends the thread, and waits for it.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        wake.signal()
        ended.wait()
    }

    func run() {
        while !isStopping.load(ordering: .acquiring) {
            pause()
            let now = Monotonic.now
            for connection in connections.all { connection.expire(at: now, notice: notice) }
        }
        ended.signal()
    }

    private func pause() {
        if connections.isEmpty {
            wake.wait()
        } else {
            _ = wake.wait(timeout: .now() + interval)
        }
    }
}
