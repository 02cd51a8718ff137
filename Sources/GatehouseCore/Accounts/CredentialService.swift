public import GatehouseKit

/// What people do with the credentials they have: list, rename, remove, and set a password.
///
/// Every call may block and is made on a worker lane.
public struct CredentialService: Sendable {
    private let storage: any Storage
    private let registry: ProviderRegistry
    private let enrollment: EnrollmentService
    private let sessions: SessionService
    private let throttle: ThrottlePolicy
    private let clock: any Clock

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
        self.throttle = throttle
        self.clock = clock
    }

    private func credentials(of account: AccountID) throws(SignInError) -> [StoredCredential] {
        do throws(ProviderFault) {
            return try storage.read { (reader) throws(ProviderFault) in try reader.credentials(of: account) }
        } catch { throw .unavailable(error) }
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
        let mine = try credentials(of: session.account.id).filter { $0.kind == P.kind }
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
        let kind = type(of: try enrollment.provider(of: collection)).kind
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
        let needsFresh = type(of: provider).collection.removalNeedsFreshSession
        let now = clock.now
        let kind = type(of: provider).kind
        let removed = event(.credentialRemoved, kind, credential: id, in: session)
        let (left, ended) = try storage.write { [registry, enrollment] writer in
            try writer.requireActive(session.session, at: now)
            if needsFresh { _ = try enrollment.requireFresh(session, writer) }
            _ = try Self.own(id, kind, session.account.id, writer)
            let left = try Self.delete(id, of: session.account.id, usable: registry.kinds, writer)
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
    private static func delete(
        _ id: CredentialID,
        of account: AccountID,
        usable: [CredentialKind],
        _ writer: any StorageWriter
    ) throws -> [StoredCredential] {
        guard try writer.delete(id) else { throw Refusal(.notFound, "no such credential") }
        let left = try writer.credentials(of: account)
        guard left.contains(where: { usable.contains($0.kind) }) else {
            throw Refusal(.lastCredential, "nothing would be left to sign in with")
        }
        return left
    }

    private func event(
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

extension CredentialService {
    /// Sets or changes the password of the account that is signed in.
    ///
    /// Runs on the provider's lane. Sessions born from the old password end, except the one that changes it.
    ///
    /// - Parameter current: Checked if it is given, under the same throttle as a sign-in.
    public func setSecret(
        to secret: Secret,
        checking current: Secret?,
        in session: CachedSession,
        from origin: RequestOrigin
    ) throws(SignInError) {
        guard let provider = registry.secretSetting else {
            throw .refused(Refusal(.kindDisabled, "no provider takes a password"))
        }
        _ = try enrollment.freshCredentials(in: session)
        try set(secret, checking: current, with: provider, in: session, from: origin)
    }

    private func set<P: SecretSettingProvider>(
        _ secret: Secret,
        checking current: Secret?,
        with provider: P,
        in session: CachedSession,
        from origin: RequestOrigin
    ) throws(SignInError) {
        if let current { try check(current, with: provider, in: session, from: origin) }
        let new = try provider.credential(settingTo: secret, of: session.account.reference)
        let now = clock.now
        let stored = StoredCredential.enrolled(
            new,
            kind: P.kind,
            of: session.account.id,
            at: now,
            settlesAt: now
        )
        let set = event(.passwordSet, P.kind, credential: stored.id, in: session)
        let ended = try storage.write { [enrollment] writer in
            _ = try enrollment.requireFresh(session, writer)
            try writer.append(set)
            let ended = try Self.put(stored, writer, keeping: session.session.id)
            // A one-time link is spent once it set a password.
            return try session.session.scope == .full ? ended : ended + writer.endSessions(.one(session.session.id))
        }
        sessions.cache.remove(ended)
    }

    /// Stores a secret in place of the former one, under the same ID: sessions born from any of them are found by it.
    private static func put(
        _ new: StoredCredential,
        _ writer: any StorageWriter,
        keeping session: SessionID
    ) throws -> [TokenDigest] {
        guard let former = try writer.credential(kind: new.kind, key: new.record.key) else {
            guard try writer.insert(new) else { throw Refusal(.credentialAlreadyRegistered, "set meanwhile") }
            return []
        }
        let change = CredentialChange(payload: new.record.payload, version: former.record.version, isEssential: true)
        guard try writer.apply(change, to: former.id) else { throw Refusal(.notFound, "the password is gone") }
        return try writer.endSessions(.credential(former.id, except: session))
    }

    private func check<P: SecretSettingProvider>(
        _ current: Secret,
        with provider: P,
        in session: CachedSession,
        from origin: RequestOrigin
    ) throws(SignInError) {
        let key = ThrottleKey(identifier: session.account.identifier, kind: P.kind)
        let now = clock.now
        let state: ThrottleState?
        do throws(ProviderFault) {
            state = try storage.read { (reader) throws(ProviderFault) in try reader.throttle(key) }
        } catch { throw .unavailable(error) }
        do throws(Refusal) { try throttle.check(state, now: now) } catch { throw .refused(error) }
        do throws(SignInError) {
            try provider.check(current, of: session.account.reference)
        } catch {
            if case .refused(let refusal) = error {
                try storage.write { [throttle] writer in
                    try writer.setThrottle(key, to: throttle.failing(try writer.throttle(key), now: now))
                    try writer.append(
                        .refused(
                            refusal,
                            .credentialRefused,
                            kind: P.kind,
                            account: session.account.id,
                            origin: origin,
                            at: now
                        )
                    )
                }
            }
            throw error
        }
    }

    /// Removes the password of the account that is signed in.
    public func removeSecret(in session: CachedSession) throws(SignInError) {
        guard let provider = registry.secretSetting else {
            throw .refused(Refusal(.kindDisabled, "no provider takes a password"))
        }
        let kind = type(of: provider).kind
        let existing = try enrollment.freshCredentials(in: session)
        guard let mine = existing.first(where: { $0.kind == kind }) else {
            throw .refused(Refusal(.notFound, "the account has no password"))
        }
        let removed = event(.passwordRemoved, kind, credential: mine.id, in: session)
        let ended = try storage.write { [registry, enrollment] writer in
            _ = try enrollment.requireFresh(session, writer)
            _ = try Self.delete(mine.id, of: session.account.id, usable: registry.kinds, writer)
            try writer.append(removed)
            return try writer.endSessions(.credential(mine.id, except: session.session.id))
        }
        sessions.cache.remove(ended)
    }
}
