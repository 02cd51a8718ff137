public import GatehouseKit

/// The question, put to an account once, whether it wants a better credential.
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
    }

    public enum Answer: String, Codable, Sendable {
        case accepted
        case snoozed
        case declined
        case unsupported
        case failed
    }
}

/// When people who sign in with a password are offered a passkey.
public struct MigrationPolicy: Equatable, Sendable {
    public let offer: Offering

    public enum Offering: String, Sendable, CaseIterable {
        case off
        case prompt
        case automatic
    }

    public init(offer: Offering = .prompt) { self.offer = offer }

    /// Decides whether a sign-in that was just completed is followed by an offer.
    ///
    /// Once, right after a password sign-in, to an account without a passkey, and never in the way.
    func decide(
        signedInWith kind: CredentialKind,
        credentials: [StoredCredential],
        earlier: [StoredOffer]
    ) -> StoredOffer.Mode? {
        guard kind == .password, !credentials.contains(where: { $0.kind == .passkey }), earlier.isEmpty else {
            return nil
        }
        switch offer {
        case .off: return nil
        case .prompt: return .prompt
        case .automatic: return .automatic
        }
    }
}
