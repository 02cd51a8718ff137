import COpenSSL

/// Certificates that are trusted because an operator says so.
///
/// Nothing of the system's own list is among them.
@safe
public final class TrustAnchors: @unchecked Sendable {
    public let certificates: [Certificate]

    // Sound: a store locks itself, and nothing is added after init.
    let store: OpaquePointer

    public init(_ certificates: [Certificate]) {
        guard let store = unsafe X509_STORE_new() else { fatalError("out of memory") }
        for certificate in certificates {
            let isAdded = unsafe X509_STORE_add_cert(store, certificate.handle) == 1
            precondition(isAdded, "a certificate store takes every certificate")
        }
        self.certificates = certificates
        unsafe self.store = store
    }

    deinit { unsafe X509_STORE_free(store) }

    public var isEmpty: Bool { certificates.isEmpty }
}
