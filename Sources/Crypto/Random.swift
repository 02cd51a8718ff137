import COpenSSL

/// Bytes and numbers from the system's generator.
public enum Random {
    /// `count` unpredictable bytes.
    ///
    /// Stops the process when the generator fails: there is no safe way to go on without it, and it can't fail once it
    /// was seeded at start.
    public static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](capacity: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                let ok = unsafe RAND_bytes(buffer.baseAddress, Int32(count))
                precondition(ok == 1, "the system's random generator failed")
                initialized = count
            }
        }
    }
}
