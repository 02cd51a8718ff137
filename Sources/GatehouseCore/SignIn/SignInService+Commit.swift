import GatehouseKit

extension SignInService {
    /// The one transaction: the ceremony is used up, the credential changed, the session opened, the event kept; or none.
    ///
    /// - Returns: `nil` if nothing was done because the evidence is out of date.
    func finish(
        _ evidence: Evidence,
        _ attempt: SignInAttempt,
        in session: CachedSession?
    ) throws(SignInError) -> Completion? {
        let completion: Completion
        do throws(SignInError) {
            completion = try storage.write { [self] writer in
                try commit(evidence, attempt, in: session, at: clock.now, writer)
            }
        } catch {
            guard error == .refused(Self.outdated) else { throw error }
            return nil
        }
        // The new session enters the cache when it is first read: put there now, it could outlive being ended meanwhile.
        sessions.cache.remove(completion.ended)
        return completion
    }

    /// Undoes the transaction; nobody is told.
    private static let outdated = Refusal(.credentialRejected, "the credential changed while it was checked")

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
        guard let account = try writer.account(evidence.account), try Self.update(evidence, at: now, writer) else {
            throw Self.outdated
        }
        for anomaly in evidence.anomalies {
            try writer.append(attempt.flagged(anomaly, of: evidence.credential, account.id, at: now))
        }
        let previous = attempt.row.purpose == .stepUp ? session?.session : nil
        if let previous { try writer.requireActive(previous, at: now) }
        let issued = try issue(evidence, to: account, attempt, addingTo: previous, at: now, writer)
        let ended = previous == nil ? try session.map { try writer.endSessions(.one($0.session.id)) } ?? [] : []
        if let guess = attempt.guess { try throttle.succeeded(guess, at: now, writer) }
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
        let isRecovery = registry.purpose(of: attempt.kind) == .recovery
        switch isRecovery
            ? policy.admitToEnrollment(piece, for: account, now: now)
            : policy.admit(piece, for: account, addingTo: previous, now: now)
        {
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

    /// - Returns: `false` if the credential is gone, or what has to be stored was made from an older version.
    private static func update(_ evidence: Evidence, at now: Timestamp, _ writer: any StorageWriter) throws -> Bool {
        if let change = evidence.change {
            let isApplied = try writer.apply(change, to: evidence.credential)
            guard isApplied || !change.isEssential else { return false }
        }
        return try writer.markUsed(evidence.credential, at: now, userVerified: evidence.proof.userVerified)
    }
}
