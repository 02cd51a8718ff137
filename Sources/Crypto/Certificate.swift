import COpenSSL
public import Wire

/// An X.509 certificate, read but not trusted.
@safe
public final class Certificate: @unchecked Sendable {
    /// In bytes; real ones have one or two thousand.
    public static let maximumSize = 65_536

    public let der: [UInt8]
    public let fields: CertificateFields

    // Sound: libcrypto locks what it caches inside a certificate, and nothing else changes it.
    let handle: OpaquePointer

    /// - Parameter der: One certificate and nothing after it.
    /// - Throws: ``CertificateFault``. The size and the key are looked at before libcrypto sees the bytes.
    public init(der: [UInt8]) throws(CertificateFault) {
        guard (1...Self.maximumSize).contains(der.count) else { throw .size(der.count) }
        fields = try CertificateFields(parsing: der)
        guard let handle = unsafe Self.decode(der) else { throw .malformed(WireFault(.notCanonical, at: 0)) }
        self.der = der
        unsafe self.handle = handle
    }

    deinit { unsafe X509_free(handle) }

    /// A key that verifies signatures of this algorithm by the certificate's subject.
    ///
    /// - Throws: ``CertificateFault/unsupportedKey`` if its key is one of another algorithm.
    public func publicKey(for algorithm: SignatureAlgorithm) throws(CertificateFault) -> any PublicKey {
        let key: (any PublicKey)?
        do { key = try algorithm.publicKey(fields.key) } catch { throw .unsound(error) }
        guard let key else { throw .unsupportedKey }
        return key
    }

    /// SHA-1 of the subject's public key, 20 bytes: the first method of RFC 5280 §4.2.1.2.
    ///
    /// A name for the key among those that a trusted list has, and nothing to trust by itself.
    public var keyIdentifier: [UInt8] {
        [UInt8](capacity: HashFunction.sha1.byteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                let sha1 = unsafe HashFunction.sha1.algorithm.pointer
                let ok = unsafe X509_pubkey_digest(handle, sha1, buffer.baseAddress, nil)
                precondition(ok == 1, "a digest can't fail once it is fetched")
                initialized = HashFunction.sha1.byteCount
            }
        }
    }

    private static func decode(_ der: [UInt8]) -> OpaquePointer? {
        unsafe der.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return unsafe nil as OpaquePointer? }
            var next: UnsafePointer<UInt8>? = unsafe start
            guard let decoded = unsafe d2i_X509(nil, &next, buffer.count) else {
                ERR_clear_error()
                return nil
            }
            guard unsafe next == start + buffer.count else {
                unsafe X509_free(decoded)
                return nil
            }
            return unsafe decoded
        }
    }
}

/// Why bytes from outside aren't a certificate.
public enum CertificateFault: Error, Equatable, Sendable {
    /// Of so many bytes, which is none or more than a certificate has.
    case size(Int)
    /// Not DER, or not the fields of a certificate.
    case malformed(WireFault)
    /// A key of a kind or size that isn't used here, or badly encoded.
    case unsupportedKey
    /// A key in order, yet no sound one.
    case unsound(KeyFault)
}
