public import GatehouseKit

/// What came of a credential that was right.
public enum SignInOutcome: Sendable {
    case signedIn(SignInResult)
    /// It is not enough by itself: the sign-in goes on in this ceremony.
    case needsSecondFactor(BegunSignIn)
}

/// A completed sign-in.
public struct SignInResult: Sendable {
    public let account: Account
    public let issued: IssuedSession
    public let offer: MadeOffer?
    public let signals: (any Encodable & Sendable)?
    public let returnTo: String?
}

extension SignInService {
    /// Checks a credential and opens the session it deserves, or says what else that takes.
    ///
    /// - Parameters:
    ///   - session: The session that came with the request: a step-up adds to it, a plain sign-in ends it.
    ///   - installation: That of the app, if it says so: offers are made to each once.
    ///   - makesOffer: Whether the client can show an offer; one that it can't show must not be used up.
    public func complete(
        _ presented: PresentedCredential,
        from origin: RequestOrigin,
        in session: CachedSession?,
        installation: InstallationID? = nil,
        makesOffer: Bool = true
    ) throws(SignInError) -> SignInOutcome {
        let provider: any CredentialProvider
        do throws(Refusal) { provider = try registry.provider(of: presented.kind, else: .notHandled) } catch {
            throw .refused(error)
        }
        let (settlement, row) = try complete(presented, with: provider, from: origin, in: session)
        switch settlement {
        case .secondFactor(let next): return .needsSecondFactor(try begunSecondFactor(next))
        case .signedIn(let completion):
            let occasion = OfferOccasion(completion, kind: presented.kind, installation: installation)
            return .signedIn(
                SignInResult(
                    account: completion.account,
                    issued: completion.issued,
                    offer: makesOffer ? offers.offer(on: occasion) : nil,
                    signals: signals(for: completion.account, completion.credentials),
                    returnTo: row.returnTo
                )
            )
        }
    }

    private func complete<P: CredentialProvider>(
        _ presented: PresentedCredential,
        with provider: P,
        from origin: RequestOrigin,
        in session: CachedSession?
    ) throws(SignInError) -> (Settlement, StoredCeremony) {
        let credential: P.Credential = try presented.decode()
        let claimed = provider.claimedIdentifier(credential)
        let row = try reserve(presented, claimed: claimed, from: origin, in: session)
        let attempt = SignInAttempt(
            row: row,
            kind: presented.kind,
            guessed: registry.isGuessable(presented.kind) ? claimed ?? row.identifier : nil,
            origin: origin
        )
        return (try settle(credential, attempt, with: provider, in: session), row)
    }

    /// Checks the credential and commits what came of it, a refusal as well.
    ///
    /// Where the credential changed or went between the two, it is checked once more: only its provider knows what a
    /// counter that rose meanwhile means, and what to say of a credential that is gone.
    private func settle<P: CredentialProvider>(
        _ credential: P.Credential,
        _ attempt: SignInAttempt,
        with provider: P,
        in session: CachedSession?
    ) throws(SignInError) -> Settlement {
        var proved: Evidence?
        do throws(SignInError) {
            for _ in 0..<2 {
                let evidence = try provider.verify(credential, ceremony: attempt.row.ceremony)
                proved = evidence
                if let settlement = try finish(evidence, attempt, in: session) { return settlement }
            }
            // Nothing is wrong with it that anybody could tell.
            throw .unavailable(ProviderFault("commit a credential that keeps changing", code: 0, kind: .overload))
        } catch {
            throw try recorded(error, attempt, proved)
        }
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
                let guess = Guess(identifier: name, kind: presented.kind, source: origin.throttleKey)
                try throttle.reserve(guess, isAccount: try writer.account(named: name) != nil, at: now, writer)
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
        case .signIn, .secondFactor: break
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
    /// - Parameter proved: What the response proved before it was refused all the same.
    /// - Returns: what the client is told.
    private func recorded(
        _ error: SignInError,
        _ attempt: SignInAttempt,
        _ proved: Evidence?
    ) throws(SignInError) -> SignInError {
        let now = clock.now
        guard case .refused(let found) = error else {
            takeBack(attempt, at: now)
            return error
        }
        let told = try storage.write { [throttle] writer in
            let refusal = try Self.inTime(found, attempt, writer)
            let named = try (attempt.guessed ?? attempt.row.identifier).flatMap { try writer.account(named: $0)?.id }
            try writer.append(attempt.refused(refusal, of: found.finding?.account ?? named, proved, at: now))
            if let finding = refusal.finding { try attempt.keep(finding, at: now, writer) }
            guard refusal.code.outcome != .failed, let guess = attempt.guess else { return refusal }
            try throttle.takeBack(guess, isAccount: named != nil, at: now, writer)
            return refusal
        }
        return .refused(attempt.toldApart(told))
    }

    /// Whoever was first in a ceremony has changed what the others are measured by: a counter that did not rise is no sign then.
    private static func inTime(
        _ refusal: Refusal,
        _ attempt: SignInAttempt,
        _ writer: any StorageWriter
    ) throws -> Refusal {
        guard refusal.finding != nil, try writer.ceremony(attempt.row.id)?.isConsumed ?? true else { return refusal }
        return Refusal(.ceremonyConsumed, "another response was first")
    }

    /// An outage is nobody's failure; where storage is what is out, this can't be written down either.
    private func takeBack(_ attempt: SignInAttempt, at now: Timestamp) {
        guard let guess = attempt.guess else { return }
        try? storage.write { [throttle] writer in
            let isAccount = try writer.account(named: guess.identifier) != nil
            try throttle.takeBack(guess, isAccount: isAccount, at: now, writer)
        }
    }
}
