public import GatehouseKit

/// A one-time link at rest: the digest of its token, what it is for, and until when.
public struct StoredLink: Equatable, Sendable {
    public let digest: TokenDigest
    public let purpose: Purpose
    /// The account it recovers; `nil` for set-up, which makes one.
    public let account: AccountID?
    public let expiresAt: Timestamp
    public let isUsed: Bool

    public init(digest: TokenDigest, purpose: Purpose, account: AccountID?, expiresAt: Timestamp, isUsed: Bool = false)
    {
        self.digest = digest
        self.purpose = purpose
        self.account = account
        self.expiresAt = expiresAt
        self.isUsed = isUsed
    }

    public enum Purpose: String, Sendable {
        /// Lets the account's owner enrol a passkey or set a password.
        case recovery
        /// Makes the first administrator.
        case setup
    }
}
