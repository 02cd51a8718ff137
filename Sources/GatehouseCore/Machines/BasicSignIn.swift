import Crypto
public import GatehouseKit
import Synchronization

/// Checks names and passwords that come with each request.
///
/// Under the counters of a sign-in, and at its cost: so what was right is remembered for a while, as a keyed digest, since
/// proxies wait for an answer no longer than a fraction of a second. Only the hashing is saved. That the account is there and
/// its password is the very one that was checked is read from storage each time, so that there is nothing to forget when
/// either changes.
public final class BasicSignIn: Sendable {
    private struct Remembered: Sendable {
        let credential: CredentialID
        let version: Int64
        let until: Timestamp
    }

    private let storage: any Storage
    private let registry: ProviderRegistry
    private let provider: any BasicSchemeProvider
    private let throttle: GuessThrottle
    private let lane: WorkerLane
    private let memory: Timestamp.Span
    private let clock: any Clock

    /// Of this process alone, so that what is remembered says nothing about passwords.
    private let key = HMAC256(key: Random.bytes(32))
    private let remembered = DigestCache<Remembered>(capacity: 10_000)
    /// Who waits for a check that is under way: one client's many requests at a moment are one try.
    private let waiting = Mutex<[TokenDigest: [@Sendable (MachineService.Finding) -> Void]]>([:])

    /// - Parameter memory: How long a password that was right isn't hashed again; none for 0.
    /// - Returns: `nil` if no provider takes a name and a password.
    public init?(
        storage: any Storage,
        registry: ProviderRegistry,
        throttle: ThrottlePolicy,
        lanes: WorkerLanes,
        memory: Timestamp.Span = .seconds(60),
        clock: any Clock
    ) {
        guard let provider = registry.basicScheme else { return nil }
        self.storage = storage
        self.registry = registry
        self.provider = provider
        self.throttle = GuessThrottle(throttle)
        lane = lanes[provider.lane]
        self.memory = memory
        self.clock = clock
    }

    /// Blocks while storage is read; what has to be hashed is hashed on the provider's lane.
    func identify(
        _ credential: BasicCredential,
        from origin: RequestOrigin,
        then: @escaping @Sendable (MachineService.Finding) -> Void
    ) {
        let digest = digest(of: credential)
        do throws(ProviderFault) {
            if let caller = try recalled(digest) { return then(.success(caller)) }
        } catch { return then(.failure(.unavailable(error))) }
        guard isFirst(at: digest, then) else { return }
        let isAccepted = lane.submit { [self] isLate in
            finish(digest, isLate ? .failure(Self.overload) : finding(on: credential, digest, from: origin))
        }
        if !isAccepted { finish(digest, .failure(Self.overload)) }
    }

    private static let overload = SignInError.unavailable(ProviderFault("check a password", code: 0, kind: .overload))

    /// Neither part has a NUL.
    private func digest(of credential: BasicCredential) -> TokenDigest {
        TokenDigest(key.code(for: Array("\(credential.identifier)\0\(credential.secret.text ?? "")".utf8)))
    }

    private func recalled(_ digest: TokenDigest) throws(ProviderFault) -> MachineCaller? {
        guard let known = remembered.find(digest), clock.now < known.until else { return nil }
        return try storage.read { (reader) throws(ProviderFault) -> MachineCaller? in
            guard let held = try reader.credential(known.credential), held.record.version == known.version,
                registry.isUsable(held), let account = try reader.account(held.record.account), !account.isDisabled
            else { return nil }
            return MachineCaller(kind: .basic, account: account, expiresAt: known.until)
        }
    }

    private func isFirst(at digest: TokenDigest, _ then: @escaping @Sendable (MachineService.Finding) -> Void) -> Bool {
        waiting.withLock { waiting in
            waiting[digest, default: []].append(then)
            return waiting[digest]?.count == 1
        }
    }

    private func finish(_ digest: TokenDigest, _ finding: MachineService.Finding) {
        for then in waiting.withLock({ $0.removeValue(forKey: digest) }) ?? [] { then(finding) }
    }
}

extension BasicSignIn {
    private func finding(
        on credential: BasicCredential,
        _ digest: TokenDigest,
        from origin: RequestOrigin
    ) -> MachineService.Finding {
        do throws(SignInError) {
            return .success(try verified(credential, digest, from: origin))
        } catch { return .failure(error) }
    }

    private func verified(
        _ credential: BasicCredential,
        _ digest: TokenDigest,
        from origin: RequestOrigin
    ) throws(SignInError) -> MachineCaller {
        let guess = Guess(
            identifier: .claimed(credential.identifier),
            kind: provider.kind,
            source: origin.throttleKey
        )
        let held = try reserve(guess)
        do throws(SignInError) {
            let evidence = try provider.verify(credential.secret, named: credential.identifier)
            return try accept(evidence, held, guess, digest)
        } catch {
            try record(error, guess, from: origin)
            throw error
        }
    }

    /// Counts the try, and looks at what it is to be checked against.
    private func reserve(_ guess: Guess) throws(SignInError) -> CredentialRecord? {
        let now = clock.now
        return try storage.write { [throttle] writer in
            let account = try writer.account(named: guess.identifier)
            try throttle.reserve(guess, isAccount: account != nil, at: now, writer)
            return try account.flatMap { try writer.credentials(of: $0.id).first { $0.kind == guess.kind }?.record }
        }
    }

    /// - Parameter held: The password as it was before it was checked: what changed meanwhile may not be the one that was.
    private func accept(
        _ evidence: Evidence,
        _ held: CredentialRecord?,
        _ guess: Guess,
        _ digest: TokenDigest
    ) throws(SignInError) -> MachineCaller {
        let now = clock.now
        let (account, version) = try storage.write { [throttle] writer in
            guard let account = try writer.account(evidence.account), !account.isDisabled else {
                throw Refusal(.credentialRejected, "the account is disabled")
            }
            let found = try writer.credential(evidence.credential)
            guard let found, found.id == held?.id, found.record.version == held?.version else {
                throw ProviderFault("check a password that changes meanwhile", code: 0, kind: .overload)
            }
            if let change = evidence.change { _ = try writer.apply(change, to: found.id) }
            _ = try writer.markUsed(found.id, at: now, userVerified: evidence.proof.userVerified)
            try throttle.succeeded(guess, at: now, writer)
            return (account, try writer.credential(found.id)?.record.version)
        }
        let until = now + memory
        if let version {
            remembered.insert(Remembered(credential: evidence.credential, version: version, until: until), for: digest)
        }
        return MachineCaller(kind: .basic, account: account, expiresAt: max(until, now + .seconds(1)))
    }

    /// Writes a refusal down; an outage, and what could be no password, is nobody's failure.
    private func record(_ error: SignInError, _ guess: Guess, from origin: RequestOrigin) throws(SignInError) {
        let now = clock.now
        var failure: Refusal?
        if case .refused(let refusal) = error { failure = refusal }
        try storage.write { [throttle, failure] writer in
            let account = try writer.account(named: guess.identifier)?.id
            guard let failure, failure.code.outcome == .failed else {
                return try throttle.takeBack(guess, isAccount: account != nil, at: now, writer)
            }
            try writer.append(
                .refused(failure, .signInRefused, kind: guess.kind, account: account, origin: origin, at: now)
            )
        }
    }
}
