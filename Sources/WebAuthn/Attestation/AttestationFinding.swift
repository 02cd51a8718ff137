import Crypto

/// What a verification procedure found: the outputs of §6.5.4.
struct AttestationFinding: Sendable {
    let format: AttestationFormat
    let type: AttestationType
    /// One for each statement that has certificates; several only in a compound one.
    let trustPaths: [CertificateChain]
    /// Whether what the certificates vouch for includes the AAGUID; if not, it counts as all zero.
    let coversAAGUID: Bool

    init(
        _ format: AttestationFormat,
        _ type: AttestationType,
        _ trustPaths: [CertificateChain] = [],
        coversAAGUID: Bool = true
    ) {
        self.format = format
        self.type = type
        self.trustPaths = trustPaths
        self.coversAAGUID = coversAAGUID
    }
}
