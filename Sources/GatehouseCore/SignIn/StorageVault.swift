public import GatehouseKit

/// One provider's view of storage: its own records, to read.
public struct StorageVault: CredentialVault {
    private let storage: any Storage
    private let kind: CredentialKind

    public init(storage: any Storage, kind: CredentialKind) {
        self.storage = storage
        self.kind = kind
    }

    public func record(key: [UInt8]) throws(ProviderFault) -> CredentialRecord? {
        try storage.read { (reader) throws(ProviderFault) in try reader.credential(kind: kind, key: key)?.record }
    }

    public func records(of account: AccountID) throws(ProviderFault) -> [CredentialRecord] {
        try storage.read { (reader) throws(ProviderFault) in
            try reader.credentials(of: account).filter { $0.kind == kind }.map(\.record)
        }
    }

    public func account(_ id: AccountID) throws(ProviderFault) -> AccountReference? {
        try storage.read { (reader) throws(ProviderFault) in try reader.account(id)?.reference }
    }

    public func account(named identifier: Identifier) throws(ProviderFault) -> AccountReference? {
        try storage.read { (reader) throws(ProviderFault) in try reader.account(named: identifier)?.reference }
    }

    public func account(userHandle: [UInt8]) throws(ProviderFault) -> AccountReference? {
        try storage.read { (reader) throws(ProviderFault) in try reader.account(userHandle: userHandle)?.reference }
    }
}
