public import GatehouseKit

/// A completed sign-in.
public struct SignInResult: Sendable {
    public let account: Account
    public let issued: IssuedSession
    public let offer: MadeOffer?
    public let signals: (any Encodable & Sendable)?
    public let returnTo: String?
}

extension SignInService {
    /// Checks a credential and opens the session it deserves.
    ///
    /// - Parameters:
    ///   - session: The session that came with the request: a step-up adds to it, a plain sign-in ends it.
    ///   - makesOffer: Whether the client can show an offer; one that it can't show must not be used up.
    public func complete(
        _ presented: PresentedCredential,
        from origin: RequestOrigin,
        in session: CachedSession?,
        makesOffer: Bool = true
    ) throws(SignInError) -> SignInResult {
        guard let provider = registry[presented.kind] else {
            throw .refused(Refusal(.notHandled, "no provider for this kind"))
        }
        let (completion, row) = try complete(presented, with: provider, from: origin, in: session)
        return SignInResult(
            account: completion.account,
            issued: completion.issued,
            offer: makesOffer ? offers.offer(after: completion, kind: presented.kind) : nil,
            signals: signals(for: completion.account, completion.credentials),
            returnTo: row.returnTo
        )
    }

    private func complete<P: CredentialProvider>(
        _ presented: PresentedCredential,
        with provider: P,
        from origin: RequestOrigin,
        in session: CachedSession?
    ) throws(SignInError) -> (Completion, StoredCeremony) {
        let credential: P.Credential = try presented.decode()
        let claimed = provider.claimedIdentifier(credential)
        let row = try reserve(presented, claimed: claimed, from: origin, in: session)
        let attempt = SignInAttempt(
            row: row,
            kind: presented.kind,
            guessed: registry.isGuessable(presented.kind) ? claimed ?? row.identifier : nil,
            origin: origin
        )
        let evidence: Evidence
        do throws(SignInError) {
            evidence = try provider.verify(credential, ceremony: row.ceremony)
        } catch {
            throw try recorded(error, attempt)
        }
        return (try finish(evidence, attempt, in: session), row)
    }

    /// Loads the ceremony, checks that it is the one that was meant, and takes one of its attempts.
    private func reserve(
        _ presented: PresentedCredential,
        claimed: Identifier?,
        from origin: RequestOrigin,
        in session: CachedSession?
    ) throws(SignInError) -> StoredCeremony {
        let now = clock.now
        return try storage.write { [ceremonies, throttle, registry] writer in
            try ceremonies.reserveAttempt(presented.ceremony, at: now, in: writer) { row in
                try Self.check(row, against: presented, claimed: claimed, in: session)
                try row.check(client: origin)
                guard registry.isGuessable(presented.kind), let name = claimed ?? row.identifier else { return }
                let key = ThrottleKey(identifier: name, kind: presented.kind)
                try throttle.check(try writer.throttle(key), now: now)
            }
        }
    }

    private static func check(
        _ row: StoredCeremony,
        against presented: PresentedCredential,
        claimed: Identifier?,
        in session: CachedSession?
    ) throws(Refusal) {
        switch row.purpose {
        case .registration: throw Refusal(.ceremonyKindMismatch, "a registration ceremony was used to sign in")
        case .stepUp:
            guard let session else { throw Refusal(.sessionRequired, "a step-up needs its session") }
            guard session.session.id == row.session else {
                throw Refusal(.ceremonyAccountMismatch, "the ceremony belongs to another session")
            }
        case .signIn: break
        }
        guard row.kinds.contains(presented.kind) else {
            throw Refusal(.kindNotRequested, "the ceremony did not ask for this kind")
        }
        if let claimed, let bound = row.identifier, claimed != bound {
            throw Refusal(.identifierMismatch, "the credential names another account than the ceremony")
        }
    }

    /// Writes down a failure that must outlive it.
    ///
    /// - Returns: what the client is told.
    private func recorded(_ error: SignInError, _ attempt: SignInAttempt) throws(SignInError) -> SignInError {
        guard case .refused(let refusal) = error else { return error }
        let now = clock.now
        try storage.write { [throttle] writer in
            let named = try (attempt.guessed ?? attempt.row.identifier).flatMap { try writer.account(named: $0)?.id }
            try writer.append(
                .refused(
                    refusal,
                    .signInRefused,
                    kind: attempt.kind,
                    account: named ?? attempt.row.account,
                    origin: attempt.origin,
                    at: now
                )
            )
            guard refusal.code.outcome == .failed, let key = attempt.throttleKey else { return }
            try writer.setThrottle(key, to: throttle.failing(try writer.throttle(key), now: now))
        }
        return .refused(attempt.toldApart(refusal))
    }

    /// The one transaction: the ceremony is used up, the credential changed, the session opened, the event kept; or none.
    private func finish(
        _ evidence: Evidence,
        _ attempt: SignInAttempt,
        in session: CachedSession?
    ) throws(SignInError) -> Completion {
        let completion: Completion
        do throws(SignInError) {
            completion = try storage.write { [self] writer in
                try commit(evidence, attempt, in: session, at: clock.now, writer)
            }
        } catch {
            throw try recorded(error, attempt)
        }
        // The new session enters the cache when it is first read: put there now, it could outlive being ended meanwhile.
        sessions.cache.remove(completion.ended)
        return completion
    }

    private func commit(
        _ evidence: Evidence,
        _ attempt: SignInAttempt,
        in session: CachedSession?,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws -> Completion {
        guard try writer.consume(attempt.row.id, at: now) else {
            throw Refusal(.ceremonyConsumed, "another response was first")
        }
        guard let account = try writer.account(evidence.account) else {
            throw Refusal(.credentialUnknown, "the account is gone")
        }
        try Self.update(evidence, at: now, writer)
        let previous = attempt.row.purpose == .stepUp ? session?.session : nil
        if let previous { try writer.requireActive(previous, at: now) }
        let issued = try issue(evidence, to: account, attempt, addingTo: previous, at: now, writer)
        let ended = previous == nil ? try session.map { try writer.endSessions(.one($0.session.id)) } ?? [] : []
        if let key = attempt.throttleKey { try writer.clearThrottle(key) }
        return Completion(
            account: account,
            issued: issued,
            credentials: try writer.credentials(of: account.id),
            ended: ended + (issued.replaced.map { [$0] } ?? [])
        )
    }

    private func issue(
        _ evidence: Evidence,
        to account: Account,
        _ attempt: SignInAttempt,
        addingTo previous: StoredSession?,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws -> IssuedSession {
        let piece = SessionEvidence(
            kind: attempt.kind,
            credential: evidence.credential,
            proof: evidence.proof,
            at: now
        )
        switch policy.admit(piece, for: account, addingTo: previous, now: now) {
        case .refuse(let refusal): throw refusal
        case .issue(let grant):
            let issued = try issuer.issue(
                grant,
                to: attempt.origin.asking(as: attempt.row.client),
                replacing: previous,
                in: writer
            )
            try writer.append(attempt.event(previous == nil ? .signedIn : .steppedUp, issued, evidence, at: now))
            return issued
        }
    }

    private static func update(_ evidence: Evidence, at now: Timestamp, _ writer: any StorageWriter) throws {
        if let change = evidence.change {
            let isApplied = try writer.apply(change, to: evidence.credential)
            guard isApplied || !change.isEssential else {
                throw Refusal(.counterRegressed, "the credential changed while it was checked")
            }
        }
        guard
            try writer.markUsed(evidence.credential, at: now, userVerified: evidence.proof.userVerified)
        else { throw Refusal(.credentialUnknown, "the credential is gone") }
    }
}
