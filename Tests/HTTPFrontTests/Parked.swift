import Dispatch
import Synchronization

@testable import HTTPFront

/// A request that stays suspended until a test resumes it.
final class Parked: Sendable {
    typealias Resume = @Sendable (HTTPResponse) -> Void

    private let arrived = DispatchSemaphore(value: 0)
    private let waiting = Mutex<Resume?>(nil)

    var reply: HTTPReply {
        .later { resume in
            self.waiting.withLock { $0 = resume }
            self.arrived.signal()
        }
    }

    func waitUntilSuspended() {
        arrived.wait()
        arrived.signal()
    }

    func resume(with response: HTTPResponse) {
        waitUntilSuspended()
        waiting.withLock(\.self)?(response)
    }

    /// Forgets how to resume.
    func letGo() {
        waitUntilSuspended()
        waiting.withLock { $0 = nil }
    }
}
