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
    private let milliseconds: @Sendable () -> Int64

    public convenience init() { self.init(milliseconds: Self.wallTime) }

    /// - Parameter milliseconds: What the system says, since 1970.
    init(milliseconds: @escaping @Sendable () -> Int64) { self.milliseconds = milliseconds }

    public var now: Timestamp { Timestamp(milliseconds: latest.max(milliseconds(), ordering: .relaxed).newValue) }

    @Sendable private static func wallTime() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
