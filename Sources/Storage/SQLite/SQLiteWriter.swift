import Dispatch
import GatehouseCore
import GatehouseKit
import Synchronization

/// The queue in front of the thread that writes.
final class SQLiteWriter: Sendable {
    /// How many jobs one COMMIT serves at most: the first of them waits for the last.
    private static let batchLimit = 64
    private static let pollInterval = DispatchTimeInterval.milliseconds(250)

    private struct Queue {
        var jobs: [WriteJob] = []
        var isStopping = false
    }

    private let queue = Mutex(Queue())
    private let arrived = DispatchSemaphore(value: 0)
    private let finished = DispatchSemaphore(value: 0)

    init(path: String, role: SQLiteStorage.Role, clock: any Clock) throws(StorageOpenError) {
        let session = WriterSession(try SQLiteWriterSession(path: path, role: role, clock: clock))
        spawn { [self] in
            while serve(session.value) {}
            session.value.tidy()
            finished.signal()
        }
    }

    // Sound: handed to the writer thread when that starts, and used by no other.
    private struct WriterSession: @unchecked Sendable {
        let value: SQLiteWriterSession
        init(_ value: SQLiteWriterSession) { self.value = value }
    }

    func write<R: Sendable>(
        _ body: @escaping @Sendable (any StorageWriter) throws -> R
    ) throws(SignInError) -> R {
        let box = ResultBox<R>()
        let job = WriteJob { transaction in
            do {
                box.set(.success(try body(transaction)))
                return true
            } catch {
                box.set(.failure(SignInError(thrown: error)))
                return false
            }
        }
        do throws(ProviderFault) {
            try submit(job)
            try job.wait()
        } catch { throw .unavailable(error) }
        return try box.take()
    }

    private func submit(_ job: WriteJob) throws(ProviderFault) {
        let wasEmpty = queue.withLock { queue -> Bool? in
            guard !queue.isStopping else { return nil }
            queue.jobs.append(job)
            return queue.jobs.count == 1
        }
        guard let wasEmpty else { throw ProviderFault("write while stopping", code: 0, kind: .storage) }
        if wasEmpty { arrived.signal() }
    }

    /// Writes what waits, and lets the thread die once nothing does.
    func stop() {
        let isFirst = queue.withLock { queue in
            defer { queue.isStopping = true }
            return !queue.isStopping
        }
        guard isFirst else { return }
        arrived.signal()
        finished.wait()
    }

    /// Serves one batch.
    ///
    /// - Returns: `false` once the queue is empty and stopping.
    private func serve(_ session: SQLiteWriterSession) -> Bool {
        var batch = takeBatch()
        if batch.isEmpty, !session.isSweeping {
            _ = arrived.wait(timeout: .now() + Self.pollInterval)
            batch = takeBatch()
        }
        session.commit(batch)
        session.keepHouse()
        return !batch.isEmpty || !queue.withLock { $0.isStopping && $0.jobs.isEmpty }
    }

    private func takeBatch() -> [WriteJob] {
        queue.withLock { queue in
            let batch = Array(queue.jobs.prefix(Self.batchLimit))
            queue.jobs.removeFirst(batch.count)
            return batch
        }
    }
}
