import GatehouseKit
import Glibc

/// Keeps a second gateway away from a database file.
///
/// SQLite would let it in, and each would then trust a cache that the other makes stale. Commands that only do one thing
/// don't take it: the gateway notices what they change.
struct FileLock: ~Copyable {
    private let descriptor: Int32

    /// - Throws: ``StorageOpenError/inUse`` if another process holds it.
    init(beside path: String) throws(StorageOpenError) {
        let descriptor = unsafe open(path + ".lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unreadable(ProviderFault("open lock file", code: Int(errno), kind: .storage))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .inUse
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}
