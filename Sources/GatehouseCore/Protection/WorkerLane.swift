import Dispatch
public import GatehouseKit
import Glibc
import Synchronization

/// A few threads with a short queue, for work that blocks.
///
/// Hashing on Swift's own pool starves every other task: measured on two cores, one stream of hashes took the access check
/// from 34 000 requests a second to about 1 000. Here it costs the check nothing but CPU.
public final class WorkerLane: Sendable {
    /// Told whether it waited so long that its visitor is better off with a refusal.
    public typealias Job = @Sendable (_ isLate: Bool) -> Void

    private let capacity: Int
    private let patience: Duration
    private let waiting = Mutex<Queue>(Queue())
    private let arrived = DispatchSemaphore(value: 0)

    private struct Queue {
        var jobs: [(job: Job, since: ContinuousClock.Instant)] = []
        var head = 0

        var count: Int { jobs.count - head }

        mutating func take() -> (job: Job, since: ContinuousClock.Instant)? {
            guard head < jobs.count else { return nil }
            defer {
                head += 1
                if head == jobs.count {
                    jobs.removeAll(keepingCapacity: true)
                    head = 0
                }
            }
            return jobs[head]
        }
    }

    /// - Parameters:
    ///   - threads: How many jobs run at once.
    ///   - capacity: How many more may wait. A visitor waits at most `capacity / threads` jobs.
    ///   - patience: How long one may wait; after that it is late.
    ///   - niceness: Added to the threads' priority value, so that the access check goes first when cores are short.
    public init(threads: Int, capacity: Int, patience: Duration = .seconds(10), niceness: Int32 = 0) {
        self.capacity = capacity
        self.patience = patience
        for _ in 0..<threads {
            spawn { [self] in
                if niceness > 0 { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
                while true {
                    arrived.wait()
                    guard let next = waiting.withLock({ $0.take() }) else { continue }
                    next.job(next.since.duration(to: .now) > self.patience)
                }
            }
        }
    }

    /// Queues a job, or says at once that there is no room.
    ///
    /// - Returns: `false` when the queue is full. The caller answers 503; it must not wait.
    public func submit(_ job: @escaping Job) -> Bool {
        let accepted = waiting.withLock { queue in
            guard queue.count < capacity else { return false }
            queue.jobs.append((job, .now))
            return true
        }
        if accepted { arrived.signal() }
        return accepted
    }
}

/// The lanes of a process, one for each kind of work that blocks.
public struct WorkerLanes: Sendable {
    private let compute: WorkerLane
    private let hashing: WorkerLane
    private let network: WorkerLane
    /// Sessions that an access check doesn't find in memory; of its own, so that a flood of sign-ins can't hold it up.
    public let sessionReads: WorkerLane

    /// - Parameter hashes: How many passwords are hashed at once: the memory budget over the memory of one.
    public init(cores: Int, hashes: Int) {
        compute = WorkerLane(threads: max(4, cores), capacity: 1_024)
        hashing = WorkerLane(threads: max(1, min(hashes, cores)), capacity: 64, patience: .seconds(5), niceness: 5)
        network = WorkerLane(threads: 2, capacity: 64)
        sessionReads = WorkerLane(threads: 2, capacity: 4_096)
    }

    public subscript(lane: WorkLane) -> WorkerLane {
        switch lane {
        case .compute: compute
        case .hashing: hashing
        case .network: network
        }
    }
}

/// Starts a thread that runs `body` for the life of the process.
public func spawn(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let argument = unsafe Unmanaged.passRetained(ThreadBody(run: body)).toOpaque()
    let code = unsafe pthread_create(&thread, nil, runThread, argument)
    precondition(code == 0, "pthread_create failed with \(code)")
    pthread_detach(thread)
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
}

/// The entry point that C calls.
///
/// A file-scope function and not a closure: a closure written in isolated code inherits the isolation, and Swift 6 traps
/// when C then calls it on a thread of its own.
private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
