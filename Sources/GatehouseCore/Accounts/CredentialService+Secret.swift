public import GatehouseKit

extension CredentialService {
    /// Sets or changes the password of the account that is signed in.
    ///
    /// Runs on the provider's lane. Sessions born from the old password end, except the one that changes it.
    ///
    /// - Parameters:
    ///   - current: Checked if it is given, under the same throttle as a sign-in.
    ///   - keepsDevices: Whether the account's trusted devices outlive the change of a password.
    ///   - keepsTokens: The same for its access tokens.
    public func setSecret(
        to secret: Secret,
        checking current: Secret?,
        keepingDevices keepsDevices: Bool = false,
        keepingTokens keepsTokens: Bool = false,
        in session: CachedSession,
        from origin: RequestOrigin
    ) throws(SignInError) {
        guard let provider = registry.secretSetting else {
            throw .refused(Refusal(.kindDisabled, "no provider takes a password"))
        }
        guard session.session.scope != .firstPasskey else {
            throw .refused(Refusal(.stepUpRequired, "the session may only enrol a passkey"))
        }
        _ = try enrollment.freshCredentials(in: session)
        if let current { try check(current, with: provider, in: session, from: origin) }
        let kept = Kept(devices: keepsDevices, tokens: keepsTokens)
        try set(secret, keeping: kept, with: provider, in: session, from: origin)
    }

    /// What outlives the change of a password.
    private struct Kept {
        let devices: Bool
        let tokens: Bool
    }

    private func set<P: SecretSettingProvider>(
        _ secret: Secret,
        keeping kept: Kept,
        with provider: P,
        in session: CachedSession,
        from origin: RequestOrigin
    ) throws(SignInError) {
        let new = try provider.credential(settingTo: secret, of: session.account.reference)
        let now = clock.now
        let stored = StoredCredential.enrolled(
            new,
            kind: provider.kind,
            of: session.account.id,
            at: now,
            settlesAt: now
        )
        let set = event(.passwordSet, provider.kind, credential: stored.id, in: session)
        let ended = try storage.write { [enrollment] writer in
            _ = try enrollment.requireFresh(session, writer)
            try Self.refuseRetired(session, writer)
            try writer.append(set)
            let isChange = try writer.credential(kind: provider.kind, key: stored.record.key) != nil
            var ended = try Self.put(stored, writer, keeping: session.session.id)
            if isChange { ended += try Self.forget(allBut: kept, of: session, from: origin, at: now, writer) }
            // A one-time link is spent once it set a password.
            return try session.session.scope == .full ? ended : ended + writer.endSessions(.one(session.session.id))
        }
        sessions.cache.remove(ended)
    }

    /// A password that was retired stays gone, until an administrator reinstates it.
    ///
    /// That it was is said to someone who proved the account with a key.
    private static func refuseRetired(_ session: CachedSession, _ writer: any StorageWriter) throws {
        guard try writer.migrationRecord(of: session.account.id).retiredAt != nil else { return }
        let isProved = session.session.evidence.contains { $0.kind == .passkey || $0.kind == .trustedDevice }
        throw Refusal(isProved ? .passwordRetired : .credentialRejected, "the password was retired")
    }

    private static func forget(
        allBut kept: Kept,
        of session: CachedSession,
        from origin: RequestOrigin,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws -> [TokenDigest] {
        let reason: Refusal.Reason = "the password was changed"
        let (account, address) = (session.account.id, origin.address)
        let devices =
            kept.devices
            ? []
            : try writer.forgetDevices(of: account, except: session.session, because: reason, address: address, at: now)
        let tokens =
            kept.tokens
            ? []
            : try writer.revokeAccessTokens(.account(account), of: account, because: reason, address: address, at: now)
        return devices + tokens
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
        let guess = Guess(identifier: session.account.identifier, kind: provider.kind, source: origin.throttleKey)
        let now = clock.now
        try storage.write { [throttle] writer in try throttle.reserve(guess, isAccount: true, at: now, writer) }
        do throws(SignInError) {
            try provider.check(current, of: session.account.reference)
        } catch {
            try storage.write { [throttle] writer in
                guard case .refused(let refusal) = error else {
                    return try throttle.takeBack(guess, isAccount: true, at: now, writer)
                }
                try writer.append(
                    .refused(
                        refusal,
                        .credentialRefused,
                        kind: provider.kind,
                        account: session.account.id,
                        origin: origin,
                        at: now
                    )
                )
            }
            throw error
        }
        try storage.write { [throttle] writer in try throttle.succeeded(guess, at: now, writer) }
    }

    /// Removes the password of the account that is signed in.
    public func removeSecret(in session: CachedSession) throws(SignInError) {
        guard let provider = registry.secretSetting else {
            throw .refused(Refusal(.kindDisabled, "no provider takes a password"))
        }
        let kind = provider.kind
        let existing = try enrollment.freshCredentials(in: session)
        guard let mine = existing.first(where: { $0.kind == kind }) else {
            throw .refused(Refusal(.notFound, "the account has no password"))
        }
        let removed = event(.passwordRemoved, kind, credential: mine.id, in: session)
        let ended = try storage.write { [registry, enrollment] writer in
            _ = try enrollment.requireFresh(session, writer)
            _ = try Self.delete(mine.id, of: session.account.id, registry, writer)
            try writer.append(removed)
            return try writer.endSessions(.credential(mine.id, except: session.session.id))
        }
        sessions.cache.remove(ended)
    }
}
