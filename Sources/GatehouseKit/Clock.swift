import Glibc
import Synchronization

/// Where the time comes from; tests bring their own.
public protocol Clock: Sendable {
    var now: Timestamp { get }
}

/// The system's clock, except that it never goes back while the process lives.
///
/// A step backwards must not revive a session that was past its end.
public final class SystemClock: Clock {
    private let latest = Atomic<Int64>(0)

    public init() {}

    public var now: Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        let milliseconds = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
        return Timestamp(milliseconds: latest.max(milliseconds, ordering: .relaxed).newValue)
    }
}
