import Dispatch
public import GatehouseCore
public import GatehouseKit
import Glibc
import Synchronization

/// Storage in one SQLite file: one thread that writes, a few connections that read.
///
/// The writer commits whatever waits at once, so that one disk flush serves many; each waiting job stands in a savepoint of
/// its own. Nothing is acknowledged before its COMMIT.
public final class SQLiteStorage: Storage {
    private let writer: SQLiteWriter
    private let readers: SQLiteReaders

    /// Whether this process is the gateway, or a command that does one thing.
    public enum Role: Sendable {
        /// Takes the file for itself, sweeps it, and is told when a command changed it.
        case gateway(onForeignChange: @Sendable () -> Void)
        case command
    }

    /// - Parameter path: The file, which is made if it doesn't exist; its folder must.
    public init(path: String, role: Role, clock: any Clock, readers count: Int = 4) throws(StorageOpenError) {
        // The file holds password hashes: nobody else reads it.
        umask(0o077)
        writer = try SQLiteWriter(path: path, role: role, clock: clock)
        do throws(ProviderFault) {
            readers = try SQLiteReaders(path: path, count: count)
        } catch {
            writer.stop()
            throw .unreadable(error)
        }
    }

    public func read<R>(_ body: (any StorageReader) throws(ProviderFault) -> R) throws(ProviderFault) -> R {
        try readers.read(body)
    }

    public func write<R: Sendable>(
        _ body: @escaping @Sendable (any StorageWriter) throws -> R
    ) throws(SignInError) -> R {
        try writer.write(body)
    }

    /// Writes what waits, and closes the file.
    public func stop() { writer.stop() }
}

/// A few connections that take turns.
private final class SQLiteReaders: Sendable {
    // Sound: a connection is used by whoever took it out of the pool, and by nobody else.
    private struct Pooled: @unchecked Sendable { let connection: SQLiteConnection }

    private let idle: Mutex<[Pooled]>
    private let available: DispatchSemaphore

    init(path: String, count: Int) throws(ProviderFault) {
        var connections: [Pooled] = []
        for _ in 0..<count { connections.append(Pooled(connection: try SQLiteFile.openReader(path))) }
        idle = Mutex(connections)
        available = DispatchSemaphore(value: count)
    }

    func read<R>(_ body: (any StorageReader) throws(ProviderFault) -> R) throws(ProviderFault) -> R {
        available.wait()
        defer { available.signal() }
        guard let pooled = idle.withLock({ $0.popLast() }) else {
            throw ProviderFault("take a reader", code: 0)
        }
        defer { idle.withLock { $0.append(pooled) } }
        let connection = pooled.connection
        _ = try connection.execute("BEGIN")
        defer { _ = try? connection.execute("COMMIT") }
        return try body(SQLTransaction(connection: connection))
    }
}
