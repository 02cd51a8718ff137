public import GatehouseKit

/// A credential as the gateway keeps it: the provider's record, and what policy needs to know without reading it.
public struct StoredCredential: Equatable, Sendable {
    public let record: CredentialRecord
    public let kind: CredentialKind
    public let slot: [UInt8]?
    /// From when on it raises the bar for changing credentials: a passkey that was enrolled on a password alone might be
    /// a thief's.
    public let settlesAt: Timestamp
    /// Whether it ever proved user verification.
    public let userVerified: Bool
    /// What its provider ends elsewhere once it is gone.
    public let remnant: [UInt8]?

    public init(
        record: CredentialRecord,
        kind: CredentialKind,
        slot: [UInt8]?,
        settlesAt: Timestamp,
        userVerified: Bool,
        remnant: [UInt8]? = nil
    ) {
        self.record = record
        self.kind = kind
        self.slot = slot
        self.settlesAt = settlesAt
        self.userVerified = userVerified
        self.remnant = remnant
    }

    public var id: CredentialID { record.id }

    /// A credential that was just enrolled.
    public static func enrolled(
        _ new: NewCredential,
        kind: CredentialKind,
        of account: AccountID,
        at now: Timestamp,
        settlesAt: Timestamp
    ) -> StoredCredential {
        StoredCredential(
            record: CredentialRecord(
                id: .random(),
                account: account,
                key: new.key,
                payload: new.payload,
                version: 0,
                name: new.name,
                createdAt: now,
                lastUsedAt: nil
            ),
            kind: kind,
            slot: new.slot,
            settlesAt: settlesAt,
            userVerified: new.proof.userVerified,
            remnant: new.remnant
        )
    }
}
