public import GatehouseKit

/// What people do with the credentials they have: list, rename, remove, and set a password.
///
/// Every call may block and is made on a worker lane.
public struct CredentialService: Sendable {
    let storage: any Storage
    let registry: ProviderRegistry
    let enrollment: EnrollmentService
    let sessions: SessionService
    let throttle: GuessThrottle
    let clock: any Clock

    public init(
        storage: any Storage,
        registry: ProviderRegistry,
        enrollment: EnrollmentService,
        sessions: SessionService,
        throttle: ThrottlePolicy,
        clock: any Clock
    ) {
        self.storage = storage
        self.registry = registry
        self.enrollment = enrollment
        self.sessions = sessions
        self.throttle = GuessThrottle(throttle)
        self.clock = clock
    }

    private func credentials(of account: AccountID) throws(SignInError) -> [StoredCredential] {
        try storage.look { (reader) throws(ProviderFault) in try reader.credentials(of: account) }
    }

    /// The credentials of a collection, as its provider shows them.
    public func list(
        _ collection: String,
        in session: CachedSession
    ) throws(SignInError) -> [any Encodable & Sendable] {
        try list(of: try enrollment.provider(of: collection), in: session)
    }

    private func list<P: EnrollingProvider>(
        of provider: P,
        in session: CachedSession
    ) throws(SignInError) -> [any Encodable & Sendable] {
        let used = Set(session.session.evidence.map(\.credential))
        let mine = try credentials(of: session.account.id).filter { $0.kind == provider.kind }
        do throws(ProviderFault) {
            var summaries: [any Encodable & Sendable] = []
            for credential in mine {
                summaries.append(
                    try provider.summary(of: credential.record, isCurrent: used.contains(credential.id))
                )
            }
            return summaries
        } catch { throw .unavailable(error) }
    }

    public func rename(
        _ id: CredentialID,
        _ collection: String,
        to name: String,
        in session: CachedSession
    ) throws(SignInError) {
        guard AccountProfile.isShowable(name, in: 1...64) else {
            throw .refused(Refusal(.invalidValue, "a name has 1 to 64 characters and no control characters"))
        }
        let kind = try enrollment.provider(of: collection).kind
        let event = event(.credentialRenamed, kind, credential: id, in: session)
        let now = clock.now
        try storage.write { writer in
            try writer.requireActive(session.session, at: now)
            _ = try Self.own(id, kind, session.account.id, writer)
            guard try writer.rename(id, to: name) else { throw Refusal(.notFound, "no such credential") }
            try writer.append(event)
        }
    }

    /// Removes a credential, and the sessions that were born from it.
    ///
    /// - Returns: The signals for what is left.
    /// - Throws: ``Refusal`` with `last_credential` if nothing would be left to sign in with.
    public func remove(
        _ id: CredentialID,
        _ collection: String,
        in session: CachedSession
    ) throws(SignInError) -> (any Encodable & Sendable)? {
        let provider = try enrollment.provider(of: collection)
        let needsFresh = provider.collection.removalNeedsFreshSession
        let now = clock.now
        let kind = provider.kind
        let removed = event(.credentialRemoved, kind, credential: id, in: session)
        let (left, ended) = try storage.write { [registry, enrollment] writer in
            try writer.requireActive(session.session, at: now)
            if needsFresh { _ = try enrollment.requireFresh(session, writer) }
            _ = try Self.own(id, kind, session.account.id, writer)
            let left = try Self.delete(id, of: session.account.id, registry, writer)
            try writer.append(removed)
            return (left, try writer.endSessions(.credential(id, except: nil)))
        }
        sessions.cache.remove(ended)
        return registry.signalling.map { SignInService.signals(of: $0, session.account, left) }
    }

    private static func own(
        _ id: CredentialID,
        _ kind: CredentialKind,
        _ account: AccountID,
        _ writer: any StorageWriter
    ) throws -> StoredCredential {
        guard let found = try writer.credential(id), found.record.account == account, found.kind == kind else {
            throw Refusal(.notFound, "no such credential")
        }
        return found
    }

    /// Deletes within a transaction, which sees what other deletions left.
    static func delete(
        _ id: CredentialID,
        of account: AccountID,
        _ registry: ProviderRegistry,
        _ writer: any StorageWriter
    ) throws -> [StoredCredential] {
        guard try writer.delete(id) else { throw Refusal(.notFound, "no such credential") }
        let left = try writer.credentials(of: account)
        guard left.contains(where: registry.isUsable) else {
            throw Refusal(.lastCredential, "nothing would be left to sign in with")
        }
        return left
    }

    func event(
        _ action: AuditEvent.Action,
        _ kind: CredentialKind,
        credential: CredentialID? = nil,
        in session: CachedSession
    ) -> AuditEvent {
        AuditEvent(
            at: clock.now,
            action: action,
            account: session.account.id,
            credential: credential,
            session: session.session.id,
            kind: kind,
            address: session.session.address
        )
    }
}
