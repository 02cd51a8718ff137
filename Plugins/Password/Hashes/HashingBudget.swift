import Dispatch
import GatehouseKit
import Synchronization

/// The memory that all hashes at once may take.
///
/// An imported hash says itself what it takes, so that counting hashes is not enough.
public final class HashingBudget: Sendable {
    /// In bytes.
    public let size: Int
    private let state: Mutex<State>

    private struct State {
        var free: Int
        var waiting: [Turn] = []
    }

    private final class Turn: Sendable {
        let bytes: Int
        let come = DispatchSemaphore(value: 0)

        init(bytes: Int) { self.bytes = bytes }
    }

    /// - Parameter size: In bytes; at least what one hash of ours takes.
    public init(size: Int) {
        self.size = size
        state = Mutex(State(free: size))
    }

    /// Waits until so many bytes are free, in the order of arrival, and sets them aside while `work` runs.
    ///
    /// Only hashes wait here, each on a thread of the hashing lane, and each holds what it took for as long as it runs.
    ///
    /// - Parameter bytes: No more than ``size``, or it is never its turn.
    func spend<Result>(
        _ bytes: Int,
        on work: () throws(ProviderFault) -> Result
    ) throws(ProviderFault) -> Result {
        take(bytes)
        defer { giveBack(bytes) }
        return try work()
    }

    private func take(_ bytes: Int) {
        let turn = state.withLock { state -> Turn? in
            guard state.waiting.isEmpty, bytes <= state.free else {
                let turn = Turn(bytes: bytes)
                state.waiting.append(turn)
                return turn
            }
            state.free -= bytes
            return nil
        }
        turn?.come.wait()
    }

    private func giveBack(_ bytes: Int) {
        let called = state.withLock { state in
            state.free += bytes
            var called: [Turn] = []
            while let next = state.waiting.first, next.bytes <= state.free {
                state.free -= next.bytes
                called.append(state.waiting.removeFirst())
            }
            return called
        }
        for turn in called { turn.come.signal() }
    }
}
