public import GatehouseKit

/// The question, put to an account, whether it wants a better credential.
public struct StoredOffer: Equatable, Sendable {
    public let id: OfferID
    public let account: AccountID
    public let session: SessionID
    public let kind: CredentialKind
    public let mode: Mode
    /// The digest of the installation it was made to, if that said which it is.
    public let installation: [UInt8]?
    public let madeAt: Timestamp
    public let answer: Answer?

    public init(
        id: OfferID,
        account: AccountID,
        session: SessionID,
        kind: CredentialKind,
        mode: Mode,
        installation: [UInt8]? = nil,
        madeAt: Timestamp,
        answer: Answer? = nil
    ) {
        self.id = id
        self.account = account
        self.session = session
        self.kind = kind
        self.mode = mode
        self.installation = installation
        self.madeAt = madeAt
        self.answer = answer
    }

    public enum Mode: String, Codable, Sendable {
        /// The client makes a passkey without asking, where it can (conditional create).
        case automatic
        case prompt
        /// A prompt at each of the last sign-ins that a password alone is good for.
        case required
    }

    public enum Answer: String, Codable, Sendable {
        case accepted
        case snoozed
        case declined
        case unsupported
        case failed
    }
}
