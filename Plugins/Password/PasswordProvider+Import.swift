public import GatehouseKit

extension PasswordProvider: ImportingProvider {
    /// Keeps the hash as it is until its owner signs in; one of ours takes its place then.
    public func credential(importing stored: String, of account: AccountReference) throws(Refusal) -> NewCredential {
        Self.credential(try ForeignHash.stored(stored), of: account)
    }
}
