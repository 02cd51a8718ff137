import Crypto
import PasskeyProvider
import WebAuthn
import WebClient

/// Where the FIDO Metadata Service's word comes from, and what follows from it.
struct MetadataSettings {
    let source: PublishedSource
    let signer: MetadataSigner
    let refusedStatuses: Set<AuthenticatorStatus>

    /// One to keep, with nothing in it yet.
    func document() -> PublishedMetadata { PublishedMetadata(signedBy: signer, refusing: refusedStatuses) }

    /// - Parameter section: That of the provider.
    /// - Returns: `nil` where there is no metadata.
    static func read(_ section: ConfigurationSection) -> MetadataSettings? {
        let metadata = section.section("metadata")
        defer { metadata.finish() }
        let source = PublishedSource.read(metadata)
        let signer = signer(metadata)
        let statuses = metadata.list("refuse", "one of \(statusNames)", status)
        guard let source else { return nil }
        return MetadataSettings(
            source: source,
            signer: signer,
            refusedStatuses: statuses.map(Set.init) ?? AuthenticatorStatus.compromised
        )
    }

    /// The FIDO Alliance, unless there are roots for somebody else.
    private static func signer(_ section: ConfigurationSection) -> MetadataSigner {
        let roots = section.list("roots", "a PEM file of certificates", PEMFile.certificates)?.flatMap(\.self) ?? []
        let host = section.text("host")
        guard roots.isEmpty else { return MetadataSigner(TrustAnchors(roots), host: host) }
        if host != nil { section.problem(nil, "host", "belongs to roots of your own") }
        return .fidoAlliance
    }

    /// As the metadata spells it, in lower case and with hyphens.
    private static let statuses: [AuthenticatorStatus] = [
        .userVerificationBypass, .attestationKeyCompromise, .userKeyRemoteCompromise, .userKeyPhysicalCompromise,
        .revoked, .updateAvailable, .retired, .notCertified,
    ]

    private static var statusNames: String { statuses.map(name).joined(separator: ", ") }

    private static func name(_ status: AuthenticatorStatus) -> String {
        String(status.rawValue.lowercased().map { $0 == "_" ? "-" : $0 })
    }

    private static func status(_ text: String) -> AuthenticatorStatus? { statuses.first { name($0) == text } }
}
