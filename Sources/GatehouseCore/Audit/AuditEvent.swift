public import GatehouseKit

/// Something that happened to an account, to be kept.
public struct AuditEvent: Equatable, Sendable {
    public let at: Timestamp
    public let action: Action
    public let account: AccountID?
    public let credential: CredentialID?
    public let session: SessionID?
    public let kind: CredentialKind?
    /// The public code of a refusal, or what a credential is flagged for.
    public let code: String?
    /// Why, in our own words.
    public let reason: String?
    public let address: String?
    public let requestID: String?

    public init(
        at: Timestamp,
        action: Action,
        account: AccountID? = nil,
        credential: CredentialID? = nil,
        session: SessionID? = nil,
        kind: CredentialKind? = nil,
        code: String? = nil,
        reason: String? = nil,
        address: String? = nil,
        requestID: String? = nil
    ) {
        self.at = at
        self.action = action
        self.account = account
        self.credential = credential
        self.session = session
        self.kind = kind
        self.code = code
        self.reason = reason
        self.address = address
        self.requestID = requestID
    }

    public enum Action: String, Sendable {
        case signedIn = "signed_in"
        /// The first of several steps of a sign-in; nothing is open yet.
        case firstFactorProved = "first_factor_proved"
        case signInRefused = "sign_in_refused"
        case steppedUp = "stepped_up"
        case signedOut = "signed_out"
        case sessionsEnded = "sessions_ended"
        /// Its token came once more; kept once for each session.
        case endedSessionUsed = "ended_session_used"
        case accountCreated = "account_created"
        case accountImported = "account_imported"
        case accountDisabled = "account_disabled"
        case accountEnabled = "account_enabled"
        case accountDeleted = "account_deleted"
        /// It showed an anomaly, whether or not it signed anyone in.
        case credentialFlagged = "credential_flagged"
        case credentialEnrolled = "credential_enrolled"
        case credentialRefused = "credential_refused"
        case credentialRenamed = "credential_renamed"
        case credentialRemoved = "credential_removed"
        case credentialReplaced = "credential_replaced"
        /// What a removed one stood for at another host was ended there, or could not be.
        case credentialRevoked = "credential_revoked"
        case revocationFailed = "revocation_failed"
        /// Its issuer said something of it; the code is what.
        case credentialNoticed = "credential_noticed"
        case passwordSet = "password_set"
        case passwordRemoved = "password_removed"
        /// The migration removed it.
        case passwordRetired = "password_retired"
        case passwordReinstated = "password_reinstated"
        /// A cohort went to another stage; the code is which.
        case stageSet = "stage_set"
        case offerMade = "offer_made"
        case offerAnswered = "offer_answered"
        case linkIssued = "link_issued"
        case linkUsed = "link_used"
    }
}

extension AuditEvent {
    /// A refusal during sign-in or enrolment.
    static func refused(
        _ refusal: Refusal,
        _ action: Action,
        kind: CredentialKind?,
        account: AccountID? = nil,
        credential: CredentialID? = nil,
        origin: RequestOrigin,
        at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(
            at: now,
            action: action,
            account: account,
            credential: credential,
            kind: kind,
            code: refusal.code.rawValue,
            reason: refusal.reason.description,
            address: origin.address,
            requestID: origin.requestID
        )
    }
}
