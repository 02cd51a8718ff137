import GatehouseCore
import GatehouseKit

/// What the writer thread does with its connection.
final class SQLiteWriterSession {
    private static let pollInterval = Timestamp.Span(milliseconds: 250)
    private static let sweepInterval = Timestamp.Span.seconds(30)

    private let connection: SQLiteConnection
    private let role: SQLiteStorage.Role
    private let clock: any Clock
    private let lock: FileLock?
    private var dataVersion: Int64 = 0
    private var polledAt: Timestamp
    private var sweptAt: Timestamp
    /// Whether the last sweep left something, so that the next follows without a pause.
    private(set) var isSweeping = false

    init(path: String, role: SQLiteStorage.Role, clock: any Clock) throws(StorageOpenError) {
        if case .gateway = role { lock = try FileLock(beside: path) } else { lock = nil }
        connection = try SQLiteFile.openWriter(path)
        if case .command = role { try Self.widen(connection) }
        self.role = role
        self.clock = clock
        polledAt = clock.now
        sweptAt = clock.now
        dataVersion = (try? currentDataVersion()) ?? 0
    }

    /// Gives a command that may write a hundred thousand rows the memory for it, and has the log moved into the file less
    /// often.
    ///
    /// Keys are random, so that each page is changed again and again: measured, an import of as many accounts takes 39 s
    /// and not 76.
    private static func widen(_ connection: SQLiteConnection) throws(StorageOpenError) {
        do throws(ProviderFault) {
            try connection.run("PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16000")
        } catch { throw .unreadable(error) }
    }

    /// Commits jobs together, or each alone where together doesn't work.
    ///
    /// A full disk or a lost lock can undo the whole transaction; the neighbours of the job that met it then get another try.
    func commit(_ batch: [WriteJob]) {
        guard !batch.isEmpty else { return }
        do throws(ProviderFault) {
            try connection.execute("BEGIN IMMEDIATE")
        } catch {
            // Another process writes: none of them would fare better alone.
            return batch.forEach { $0.finish(error) }
        }
        do throws(ProviderFault) {
            for job in batch { try run(job) }
            try connection.execute("COMMIT")
            for job in batch { job.finish(nil) }
        } catch {
            if !connection.hasNoTransaction { _ = try? connection.execute("ROLLBACK") }
            guard batch.count > 1 else { return batch.forEach { $0.finish(error) } }
            for job in batch { commit([job]) }
        }
    }

    /// Runs one job in its savepoint.
    ///
    /// - Throws: if the transaction around it is lost.
    private func run(_ job: WriteJob) throws(ProviderFault) {
        try connection.execute("SAVEPOINT job")
        let keeps = job.run(SQLTransaction(connection: connection))
        guard !connection.hasNoTransaction else {
            throw ProviderFault("keep a transaction", code: 0, kind: .storage)
        }
        if !keeps { try connection.execute("ROLLBACK TO job") }
        try connection.execute("RELEASE job")
    }

    /// Looks for changes by other processes, and sweeps what has expired.
    func keepHouse() {
        guard case .gateway(let onForeignChange) = role else { return }
        let now = clock.now
        if now - polledAt >= Self.pollInterval {
            polledAt = now
            noticeForeignChange(onForeignChange)
        }
        guard isSweeping || now - sweptAt >= Self.sweepInterval else { return }
        isSweeping = sweep(at: now)
        sweptAt = now
    }

    /// The data version of a connection changes when any other connection commits; the readers never do.
    private func noticeForeignChange(_ onForeignChange: () -> Void) {
        guard let version = try? currentDataVersion(), version != dataVersion else { return }
        dataVersion = version
        onForeignChange()
    }

    private func currentDataVersion() throws(ProviderFault) -> Int64 {
        try connection.query("PRAGMA data_version", []) { $0.integer(0) }.first ?? 0
    }

    /// Moves the write-ahead log into the file, so that the file alone is a copy of everything; the log is kept if it fails.
    func tidy() { try? connection.run("PRAGMA wal_checkpoint(TRUNCATE)") }

    /// - Returns: whether there is more to sweep.
    private func sweep(at now: Timestamp) -> Bool {
        let box = ResultBox<Bool>()
        commit([
            WriteJob { transaction in
                do throws(ProviderFault) {
                    box.set(.success(try transaction.sweep(at: now)))
                    return true
                } catch { return false }
            }
        ])
        return (try? box.take()) ?? false
    }
}
