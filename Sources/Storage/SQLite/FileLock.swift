import Glibc

/// Keeps a second gateway away from a database file.
///
/// SQLite would let it in, and each would then trust a cache that the other makes stale. Commands that only do one thing
/// don't take it: the gateway notices what they change.
struct FileLock: ~Copyable {
    private let descriptor: Int32

    /// - Returns: `nil` if another process holds it.
    init?(beside path: String) {
        unsafe descriptor = open(path + ".lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }
}
