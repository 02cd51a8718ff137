/// A stored credential: which account it proves, and whatever its provider needs to check it.
public struct CredentialRecord: Equatable, Sendable {
    public let id: CredentialID
    public let account: AccountID
    /// What the provider looks it up by: a passkey's credential ID, a device's ID.
    ///
    /// Unique among its kind.
    public let key: [UInt8]
    /// The provider's own encoding.
    ///
    /// No other code reads it.
    public let payload: [UInt8]
    /// Counts replacements of the payload; a change names the version it was made from.
    public let version: Int64
    public let name: String?
    public let createdAt: Timestamp
    public let lastUsedAt: Timestamp?

    public init(
        id: CredentialID,
        account: AccountID,
        key: [UInt8],
        payload: [UInt8],
        version: Int64,
        name: String?,
        createdAt: Timestamp,
        lastUsedAt: Timestamp?
    ) {
        self.id = id
        self.account = account
        self.key = key
        self.payload = payload
        self.version = version
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

/// One provider's credentials, to read.
///
/// A provider is handed a vault that reaches its own records and no others, and writes nothing: what changes travels as
/// ``Evidence`` or ``NewCredential`` into the transaction that also decides whether the ceremony was used before.
public protocol CredentialVault: Sendable {
    func record(key: [UInt8]) throws(ProviderFault) -> CredentialRecord?

    func records(of account: AccountID) throws(ProviderFault) -> [CredentialRecord]

    func account(_ id: AccountID) throws(ProviderFault) -> AccountReference?

    func account(named identifier: Identifier) throws(ProviderFault) -> AccountReference?

    func account(userHandle: [UInt8]) throws(ProviderFault) -> AccountReference?
}
