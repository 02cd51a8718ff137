import Crypto
import GatehouseKit
import PasskeyProvider
import WebAuthn
import Wire

/// Where the FIDO Metadata Service's word comes from, and what follows from it.
struct MetadataSettings {
    let source: MetadataSource
    let refusedStatuses: Set<AuthenticatorStatus>

    /// - Parameter section: That of the provider.
    /// - Returns: `nil` where there is no metadata.
    static func read(_ section: ConfigurationSection) -> MetadataSettings? {
        let metadata = section.section("metadata")
        defer { metadata.finish() }
        let url = metadata.value("url", "an https URL") { isFetchable($0) ? $0 : nil }
        let refresh = metadata.duration("refresh", in: .seconds(1)...(.days(30)), default: .days(1))
        let signer = signer(metadata)
        let statuses = metadata.list("refuse", "one of \(statusNames)", status)
        guard let file = metadata.text("file") else {
            if url != nil { metadata.problem(nil, "file", "must say where to keep what is fetched") }
            return nil
        }
        return MetadataSettings(
            source: MetadataSource(file: file, url: url, refresh: refresh, signer: signer),
            refusedStatuses: statuses.map(Set.init) ?? AuthenticatorStatus.compromised
        )
    }

    private static func isFetchable(_ text: String) -> Bool {
        guard let url = WebURL(text) else { return false }
        return url.origin.scheme == .https
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
