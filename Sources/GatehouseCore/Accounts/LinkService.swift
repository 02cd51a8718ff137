public import GatehouseKit

/// One-time links: whoever holds one may enrol a credential, once.
///
/// The token stands in the fragment of the link, which browsers never send; only its digest is stored.
public struct LinkService: Sendable {
    public static let recoveryLifetime = Timestamp.Span.hours(24)
    public static let setupLifetime = Timestamp.Span.hours(24)

    private let storage: any Storage
    private let policy: SessionPolicy
    private let sessions: SessionService
    private let issuer: SessionIssuer
    private let migration: MigrationEngine
    private let clock: any Clock

    public init(
        storage: any Storage,
        policy: SessionPolicy,
        sessions: SessionService,
        migration: MigrationEngine = MigrationEngine(),
        clock: any Clock
    ) {
        self.storage = storage
        self.policy = policy
        issuer = SessionIssuer(policy)
        self.sessions = sessions
        self.migration = migration
        self.clock = clock
    }

    /// Makes a recovery link; earlier ones of the account stop working.
    public func issueRecovery(for account: AccountID) throws(SignInError) -> SessionToken {
        try issue(.recovery, for: account, lifetime: Self.recoveryLifetime)
    }

    /// Makes the link with which the first administrator is set up.
    ///
    /// - Returns: `nil` if there is an account already, or ever was an administrator.
    public func issueSetup() throws(SignInError) -> SessionToken? {
        let isOpen = try storage.look { (reader) throws(ProviderFault) -> Bool in
            guard try !reader.hasAccounts() else { return false }
            return try reader.setting(.setupDone) == nil
        }
        return isOpen ? try issue(.setup, for: nil, lifetime: Self.setupLifetime) : nil
    }

    private func issue(
        _ purpose: StoredLink.Purpose,
        for account: AccountID?,
        lifetime: Timestamp.Span
    ) throws(SignInError) -> SessionToken {
        let now = clock.now
        let token = SessionToken.random()
        let link = StoredLink(digest: token.digest, purpose: purpose, account: account, expiresAt: now + lifetime)
        try storage.write { writer in
            try writer.withdrawLinks(for: purpose, of: account)
            try writer.insert(link)
            try writer.append(AuditEvent(at: now, action: .linkIssued, account: account, code: purpose.rawValue))
        }
        return token
    }

    /// Uses a recovery link up and opens a session that may enrol a credential and nothing else.
    ///
    /// Whoever recovers an account has lost something, perhaps to someone else: all its sessions end, and the devices it
    /// trusted and its access tokens are forgotten. Its passkeys and its password stay, for the owner to judge.
    public func redeemRecovery(
        _ token: SessionToken,
        from origin: RequestOrigin
    ) throws(SignInError) -> (account: Account, issued: IssuedSession) {
        let now = clock.now
        let opened = try storage.write { [self] writer in
            let link = try take(token, .recovery, at: now, writer)
            guard let id = link.account, let account = try writer.account(id) else {
                throw Refusal(.ceremonyUnknown, "the link's account is gone")
            }
            let ended = try writer.endSessions(.account(id, except: nil))
            let forgotten = try writer.forgetDevices(
                of: id,
                because: "the account was recovered",
                address: origin.address,
                at: now
            )
            let revoked = try writer.revokeAccessTokens(
                .account(id),
                of: id,
                because: "the account was recovered",
                address: origin.address,
                at: now
            )
            let issued = try open(for: account, origin, at: now, writer)
            try migration.count(MigrationMeasure(.recovered), for: account, at: now, writer)
            return (account: account, issued: issued, ended: ended + forgotten + revoked + issued.ended)
        }
        sessions.cache.remove(opened.ended)
        return (opened.account, opened.issued)
    }

    /// Uses the set-up link up, makes the first administrator and opens a session that may enrol a credential.
    ///
    /// Set-up never opens again: the marker it leaves behind outlives every account.
    public func redeemSetup(
        _ token: SessionToken,
        profile: AccountProfile,
        from origin: RequestOrigin
    ) throws(SignInError) -> (account: Account, issued: IssuedSession) {
        let now = clock.now
        let account = AccountService.account(profile, at: now)
        return try storage.write { [self] writer in
            _ = try take(token, .setup, at: now, writer)
            guard try !writer.hasAccounts(), try writer.insert([1], for: .setupDone) else {
                throw Refusal(.ceremonyConsumed, "there is an account already")
            }
            guard try writer.insert(account) else { throw Refusal(.usernameTaken, "the user name is taken") }
            try writer.append(
                AuditEvent(at: now, action: .accountCreated, account: account.id, address: origin.address)
            )
            return (account, try open(for: account, origin, at: now, writer))
        }
    }

    private func take(
        _ token: SessionToken,
        _ purpose: StoredLink.Purpose,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws -> StoredLink {
        guard let link = try writer.link(digest: token.digest), link.purpose == purpose else {
            throw Refusal(.ceremonyUnknown, "no such link")
        }
        guard !link.isUsed else { throw Refusal(.ceremonyConsumed, "the link was used") }
        guard now < link.expiresAt else { throw Refusal(.ceremonyExpired, "the link is past its time") }
        guard try writer.consumeLink(digest: token.digest, at: now) else {
            throw Refusal(.ceremonyConsumed, "the link was used")
        }
        return link
    }

    private func open(
        for account: Account,
        _ origin: RequestOrigin,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws -> IssuedSession {
        let evidence = SessionEvidence(
            kind: .recoveryLink,
            credential: .random(),
            proof: Proof(factors: .possession),
            at: now
        )
        let grant = try policy.admitToEnrollment(evidence, for: account, now: now)
        let issued = try issuer.issue(grant, to: origin, in: writer)
        try writer.append(
            AuditEvent(
                at: now,
                action: .linkUsed,
                account: account.id,
                session: issued.session.id,
                address: origin.address,
                requestID: origin.requestID
            )
        )
        return issued
    }
}
