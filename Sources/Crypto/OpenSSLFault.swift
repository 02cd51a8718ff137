import COpenSSL

/// A libcrypto call that failed for another reason than a bad signature.
public struct OpenSSLFault: Error, Equatable, Sendable {
    /// The first code on OpenSSL's error queue, which is emptied.
    public let code: UInt

    static func current() -> OpenSSLFault {
        let fault = OpenSSLFault(code: UInt(ERR_get_error()))
        ERR_clear_error()
        return fault
    }
}
