import Crypto
import GatehouseTesting
import WebAuthn

/// A publisher of metadata, and whoever trusts it.
struct MetadataSite {
    /// 2026-07-30.
    static let time: Int64 = 1_785_369_600

    let publisher: MetadataPublisher
    let signer: MetadataSigner

    init(_ publisher: MetadataPublisher = MetadataPublisher()) {
        self.publisher = publisher
        signer = MetadataSigner(publisher.anchors, host: MetadataPublisher.host)
    }

    func issue(_ draft: MetadataDraft) throws -> MetadataBLOB { try read(draft.signed(by: publisher)) }

    func read(_ text: [UInt8], at time: Int64 = time) throws -> MetadataBLOB {
        try MetadataBLOB(verifying: text, by: signer, at: time)
    }

    /// Metadata of these models.
    func metadata(
        _ entries: MetadataDraft.Entry...,
        refusing statuses: Set<AuthenticatorStatus> = AuthenticatorStatus.compromised
    ) throws -> AuthenticatorMetadata {
        AuthenticatorMetadata(try issue(MetadataDraft(entries)), refusing: statuses)
    }
}
