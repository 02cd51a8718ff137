import COpenSSL

/// A certificate with those that are said to lead from it to someone trusted.
public struct CertificateChain: Sendable {
    /// How many certificates are looked at; real chains have up to four.
    public static let maximumCount = 8

    public let leaf: Certificate
    /// Whatever came along, in any order; a root among them is trusted no more than the others.
    public let others: [Certificate]

    /// - Parameter encodings: In DER, the leaf first.
    /// - Throws: ``CertificateChainFault``. How many they are is looked at before what they are.
    public init(_ encodings: [[UInt8]]) throws(CertificateChainFault) {
        guard (1...Self.maximumCount).contains(encodings.count) else { throw .count(encodings.count) }
        var certificates: [Certificate] = []
        for der in encodings {
            do { certificates.append(try Certificate(der: der)) } catch { throw .certificate(error) }
        }
        leaf = certificates.removeFirst()
        others = certificates
    }

    /// Throws unless a path leads from the leaf to one of the anchors (RFC 5280 §6.1), or the leaf is one of them.
    ///
    /// All on the path have to be valid at that time, and signed with nothing weaker than 80 bits, which leaves SHA-1 out.
    /// What a key may be used for isn't looked at: attestation certificates don't say, or in terms of their own.
    ///
    /// - Parameters:
    ///   - time: In seconds since 1970.
    ///   - host: The host that the leaf has to be for (RFC 9525); `nil` where it may be for anything.
    public func validate(
        to anchors: TrustAnchors,
        at time: Int64,
        host: String? = nil
    ) throws(CertificateChainFault) {
        guard !anchors.isEmpty else { throw .untrusted }
        guard let code = Self.verify(leaf, others, anchors, at: time, host) else { throw .untrusted }
        switch code {
        case X509_V_OK: return
        case X509_V_ERR_CERT_HAS_EXPIRED: throw .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: throw .notYetValid
        case X509_V_ERR_HOSTNAME_MISMATCH: throw .host
        default: throw .untrusted
        }
    }

    /// - Returns: An `X509_V_` code, or `nil` if libcrypto didn't get that far.
    private static func verify(
        _ leaf: Certificate,
        _ others: [Certificate],
        _ anchors: TrustAnchors,
        at time: Int64,
        _ host: String?
    ) -> Int32? {
        defer { ERR_clear_error() }
        guard let context = unsafe X509_STORE_CTX_new(), let pool = unsafe OPENSSL_sk_new_null() else { return nil }
        defer {
            unsafe X509_STORE_CTX_free(context)
            unsafe OPENSSL_sk_free(pool)
        }
        for certificate in others {
            guard unsafe OPENSSL_sk_push(pool, UnsafeRawPointer(certificate.handle)) > 0 else { return nil }
        }
        guard unsafe X509_STORE_CTX_init(context, anchors.store, leaf.handle, pool) == 1,
            let rules = unsafe X509_STORE_CTX_get0_param(context)
        else { return nil }
        unsafe X509_VERIFY_PARAM_set_time(rules, Int(time))
        unsafe X509_VERIFY_PARAM_set_depth(rules, Int32(maximumCount))
        unsafe X509_VERIFY_PARAM_set_auth_level(rules, 1)
        guard unsafe X509_VERIFY_PARAM_set_flags(rules, UInt(X509_V_FLAG_PARTIAL_CHAIN)) == 1,
            unsafe host == nil || X509_VERIFY_PARAM_set1_host(rules, host, 0) == 1
        else { return nil }
        let isValid = unsafe X509_verify_cert(context) == 1
        let code = unsafe X509_STORE_CTX_get_error(context)
        return isValid == (code == X509_V_OK) ? code : nil
    }
}

/// Why a chain of certificates proves nothing.
public enum CertificateChainFault: Error, Equatable, Sendable {
    /// None, or more than are looked at.
    case count(Int)
    case certificate(CertificateFault)
    case expired
    case notYetValid
    /// The leaf is for another host.
    case host
    /// No path leads to an anchor, or one on it is not what its issuer signed.
    case untrusted
}
