import COpenSSL

/// libcrypto as a whole.
public enum CryptoLibrary {
    /// Keeps libcrypto from taking itself apart while the process exits (OPENSSL_INIT_NO_ATEXIT).
    ///
    /// It would do so on the main thread without waiting for others: a thread that ends at the same moment frees the same
    /// things once more, and the process dies after its work was done. To be called first of all in a program, before
    /// anything else uses libcrypto.
    public static func prepare() { OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }
}
