/// What a credential showed that it shouldn't: a sign that it was copied or isn't what it was, and no proof.
public enum CredentialAnomaly: String, Encodable, Sendable {
    /// Its signature counter did not rise.
    case counterRegressed = "counter_regressed"
    /// It can leave its device now and could not before, or the other way round.
    case backupEligibilityChanged = "backup_eligibility_changed"

    /// For the audit log.
    public var reason: Refusal.Reason {
        switch self {
        case .counterRegressed: "the signature counter did not rise"
        case .backupEligibilityChanged: "the eligibility for backup changed"
        }
    }
}

/// What a refused response proved about the credential that signed it.
///
/// Committed although the sign-in is not: the audit event, and what the record has to remember.
public struct CredentialFinding: Equatable, Sendable {
    public let account: AccountID
    public let credential: CredentialID
    public let anomaly: CredentialAnomaly
    /// `nil` where the record remembers it already.
    public let change: CredentialChange?

    public init(account: AccountID, credential: CredentialID, anomaly: CredentialAnomaly, change: CredentialChange?) {
        self.account = account
        self.credential = credential
        self.anomaly = anomaly
        self.change = change
    }
}
