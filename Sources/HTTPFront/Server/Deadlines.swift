import Glibc

/// Nanoseconds on a clock that only goes forward.
struct Monotonic: Comparable, Sendable {
    let nanoseconds: Int64

    static let never = Monotonic(nanoseconds: .max)

    /// Precise to some milliseconds, and three times as cheap as the precise clock.
    static var now: Monotonic {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Monotonic(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (a: Monotonic, b: Monotonic) -> Bool { a.nanoseconds < b.nanoseconds }

    static func + (time: Monotonic, nanoseconds: Int64) -> Monotonic {
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(nanoseconds)
        return overflow ? .never : Monotonic(nanoseconds: sum)
    }
}

/// How long each phase of a connection may last, in nanoseconds.
struct Deadlines: Sendable {
    private let head: Int64
    private let body: Int64
    private let reply: Int64
    private let idle: Int64
    private let lingering: Int64

    init(_ limits: HTTPLimits) {
        head = limits.headDeadline.clampedNanoseconds
        body = limits.bodyDeadline.clampedNanoseconds
        reply = limits.replyDeadline.clampedNanoseconds
        idle = limits.idleDeadline.clampedNanoseconds
        lingering = min(body, HTTPLimits.lingering.clampedNanoseconds)
    }

    /// When a phase that begins now must be over.
    func end(of phase: PeerConnection.Phase) -> Monotonic {
        switch phase {
        case .head: .now + head
        case .body: .now + body
        case .replying: .now + reply
        case .idle: .now + idle
        case .lingering: .now + lingering
        case .working, .cut: .never
        }
    }
}

extension Duration {
    /// In nanoseconds; what doesn't fit is the largest number, what is negative is none.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carried) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || carried ? .max : sum
    }
}
