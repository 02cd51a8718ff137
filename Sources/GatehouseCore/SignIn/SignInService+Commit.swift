import GatehouseKit

extension SignInService {
    /// The one transaction: the ceremony is used up, the credential changed, the session opened, the event kept; or none.
    ///
    /// - Returns: `nil` if nothing was done because the evidence is out of date.
    func finish(
        _ evidence: Evidence,
        _ attempt: SignInAttempt,
        in session: CachedSession?
    ) throws(SignInError) -> Settlement? {
        let settlement: Settlement
        do throws(SignInError) {
            settlement = try storage.write { [self] writer in
                try commit(evidence, attempt, in: session, at: clock.now, writer)
            }
        } catch {
            guard error == .refused(Self.outdated) else { throw error }
            return nil
        }
        // The new session enters the cache when it is first read: put there now, it could outlive being ended meanwhile.
        if case .signedIn(let completion) = settlement { sessions.cache.remove(completion.ended) }
        return settlement
    }

    /// Undoes the transaction; nobody is told.
    private static let outdated = Refusal(.credentialRejected, "the credential changed while it was checked")

    private func commit(
        _ evidence: Evidence,
        _ attempt: SignInAttempt,
        in session: CachedSession?,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws -> Settlement {
        guard try writer.consume(attempt.row.id, at: now) else {
            throw Refusal(.ceremonyConsumed, "another response was first")
        }
        guard let account = try writer.account(evidence.account), try Self.update(evidence, at: now, writer) else {
            throw Self.outdated
        }
        for anomaly in evidence.anomalies {
            try writer.append(attempt.flagged(anomaly, of: evidence.credential, account.id, at: now))
        }
        let previous = attempt.row.purpose == .stepUp ? session?.session : nil
        if let previous { try writer.requireActive(previous, at: now) }
        let standing = try migration.standing(
            of: account,
            signingInWith: attempt.kind,
            registry,
            at: now,
            writer
        )
        switch try admission(of: evidence, to: account, attempt, addingTo: previous, standing, at: now, writer) {
        case .refuse(let refusal): throw refusal
        case .needsSecondFactor(let first):
            return .secondFactor(try goOn(from: first, evidence, account, attempt, at: now, writer))
        case .issue(let grant):
            let issued = try open(grant, evidence, attempt, replacing: previous, at: now, writer)
            let left = previous == nil ? try session.map { try writer.endSessions(.one($0.session.id)) } ?? [] : []
            try rememberGuesses(of: account, attempt, at: now, writer)
            let retired = try note(account, attempt, standing, at: now, writer)
            return .signedIn(
                Completion(
                    account: account,
                    issued: issued,
                    credentials: try writer.credentials(of: account.id),
                    ended: left + issued.ended + retired,
                    isFromOtherDevice: evidence.isFromOtherDevice
                )
            )
        }
    }

    /// Writes down what it says of the account's way to a passkey.
    ///
    /// - Returns: the sessions that ended with a password that isn't needed any more.
    private func note(
        _ account: Account,
        _ attempt: SignInAttempt,
        _ standing: PasswordStanding,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws -> [TokenDigest] {
        guard registry.purpose(of: attempt.kind) == .signIn else {
            try migration.count(MigrationMeasure(.recovered), for: account, at: now, writer)
            return []
        }
        return try migration.noteSignIn(
            of: account,
            with: attempt.kind,
            begunAt: attempt.row.begunAt,
            standing: standing,
            registry,
            at: now,
            writer
        )
    }

    private func admission(
        of evidence: Evidence,
        to account: Account,
        _ attempt: SignInAttempt,
        addingTo previous: StoredSession?,
        _ standing: PasswordStanding,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws -> Admission {
        let piece = SessionEvidence(
            kind: attempt.kind,
            credential: evidence.credential,
            proof: evidence.proof,
            at: now
        )
        guard registry.purpose(of: attempt.kind) == .signIn else {
            return .issue(try policy.admitToEnrollment(piece, for: account, now: now))
        }
        return policy.admit(
            piece,
            for: account,
            addingTo: previous.map(EarlierEvidence.init) ?? EarlierEvidence(attempt.row),
            holding: registry.held(try writer.credentials(of: account.id)),
            passwordOnlyEnrolls: standing == .enrollOnly,
            now: now
        )
    }

    private func open(
        _ grant: Admission.Grant,
        _ evidence: Evidence,
        _ attempt: SignInAttempt,
        replacing previous: StoredSession?,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws -> IssuedSession {
        let origin = attempt.origin.asking(as: attempt.row.client)
        let issued = try issuer.issue(grant, to: origin, replacing: previous, in: writer)
        let action: AuditEvent.Action = previous == nil ? .signedIn : .steppedUp
        try writer.append(attempt.event(action, evidence, session: issued.session.id, at: now))
        return issued
    }

    /// No failure was one, in this step or in the steps before, and the address is the account's from now on.
    private func rememberGuesses(
        of account: Account,
        _ attempt: SignInAttempt,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws {
        if let guess = attempt.guess { try throttle.succeeded(guess, at: now, writer) }
        for piece in attempt.row.evidence where registry.isGuessable(piece.kind) {
            let guess = Guess(identifier: account.identifier, kind: piece.kind, source: attempt.origin.throttleKey)
            try throttle.forget(guess, at: now, writer)
        }
    }

    /// - Returns: `false` if the credential is gone, or what has to be stored was made from an older version.
    private static func update(_ evidence: Evidence, at now: Timestamp, _ writer: any StorageWriter) throws -> Bool {
        if let change = evidence.change {
            let isApplied = try writer.apply(change, to: evidence.credential)
            guard isApplied || !change.isEssential else { return false }
        }
        return try writer.markUsed(evidence.credential, at: now, userVerified: evidence.proof.userVerified)
    }
}
