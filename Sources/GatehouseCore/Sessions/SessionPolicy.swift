public import GatehouseKit

/// Decides what evidence is worth, and what a session may reach.
///
/// Pure: the time is an argument, and nothing is read or written.
public struct SessionPolicy: Sendable {
    /// How long after proving itself a session may change credentials.
    public let fresh: Timestamp.Span
    /// How long a passkey that was enrolled on a password alone waits before it raises the bar for changing credentials.
    public let settling: Timestamp.Span
    /// By kind of credential; the strictest of those in a session counts.
    public let lifetimes: [CredentialKind: Lifetime]
    public let defaultLifetime: Lifetime

    public init(
        fresh: Timestamp.Span = .minutes(10),
        settling: Timestamp.Span = .hours(24),
        lifetimes: [CredentialKind: Lifetime] = [:],
        defaultLifetime: Lifetime = Lifetime(absolute: .hours(24), idle: .hours(1))
    ) {
        self.fresh = fresh
        self.settling = settling
        self.lifetimes = lifetimes
        self.defaultLifetime = defaultLifetime
    }

    public struct Lifetime: Equatable, Sendable {
        public let absolute: Timestamp.Span
        public let idle: Timestamp.Span

        public init(absolute: Timestamp.Span, idle: Timestamp.Span) {
            self.absolute = absolute
            self.idle = idle
        }
    }

    /// How long a session lives that may only enrol a credential.
    static let enrollmentLifetime = Lifetime(absolute: .minutes(15), idle: .minutes(15))
}

/// The answer to "may this evidence open a session?".
public enum Admission: Sendable {
    case issue(Grant)
    case refuse(Refusal)

    /// Permission to open one session, which nothing but ``SessionPolicy`` can make.
    public struct Grant: Sendable {
        let account: AccountID
        let scope: StoredSession.Scope
        let assurance: Assurance
        let evidence: [SessionEvidence]
        let authenticatedAt: Timestamp
        let expiresAt: Timestamp
        let idleLimit: Timestamp.Span

        fileprivate init(
            account: AccountID,
            scope: StoredSession.Scope,
            assurance: Assurance,
            evidence: [SessionEvidence],
            at now: Timestamp,
            expiresAt: Timestamp,
            idleLimit: Timestamp.Span
        ) {
            self.account = account
            self.scope = scope
            self.assurance = assurance
            self.evidence = evidence
            authenticatedAt = now
            self.expiresAt = expiresAt
            self.idleLimit = idleLimit
        }
    }
}

extension SessionPolicy {
    /// Judges a sign-in, or a step-up of `session`.
    ///
    /// - Parameter account: The account that the evidence names.
    public func admit(
        _ evidence: SessionEvidence,
        for account: Account,
        addingTo session: StoredSession? = nil,
        now: Timestamp
    ) -> Admission {
        if account.isDisabled { return .refuse(Self.refusal(toDisabledAccountProvedBy: evidence)) }
        guard session.map({ $0.account == account.id }) ?? true else {
            return .refuse(Refusal(.ceremonyAccountMismatch, "evidence of another account"))
        }
        let all = (session?.evidence ?? []).filter { $0.kind != evidence.kind && now < end(of: $0) } + [evidence]
        return .issue(
            Admission.Grant(
                account: account.id,
                scope: .full,
                assurance: Self.assurance(of: all),
                evidence: all,
                at: now,
                expiresAt: all.map(end).min() ?? now,
                idleLimit: idleLimit(of: all)
            )
        )
    }

    /// Admits whoever gets back in, to enrol a credential and for nothing else.
    ///
    /// - Parameter evidence: Of a one-time link, or of a credential for recovery.
    public func admitToEnrollment(_ evidence: SessionEvidence, for account: Account, now: Timestamp) -> Admission {
        guard !account.isDisabled else { return .refuse(Refusal(.credentialRejected, "the account is disabled")) }
        return .issue(
            Admission.Grant(
                account: account.id,
                scope: .enrollment,
                assurance: .aal1,
                evidence: [evidence],
                at: now,
                expiresAt: now + Self.enrollmentLifetime.absolute,
                idleLimit: Self.enrollmentLifetime.idle
            )
        )
    }

    /// That an account is disabled is said only to someone who proved with a key that it is theirs.
    private static func refusal(toDisabledAccountProvedBy evidence: SessionEvidence) -> Refusal {
        evidence.proof.factors.contains(.possession)
            ? Refusal(.accountDisabled, "the account is disabled")
            : Refusal(.credentialRejected, "the account is disabled")
    }

    /// NIST SP 800-63B-4 §2: what the evidence amounts to, taken together.
    static func assurance(of evidence: [SessionEvidence]) -> Assurance {
        let proofs = evidence.map(\.proof)
        if proofs.contains(where: { $0.userVerified && $0.deviceBound && $0.attested && $0.phishingResistant }) {
            return .aal3
        }
        let factors = proofs.reduce(into: Proof.Factors()) { $0.formUnion($1.factors) }
        return factors.contains(.possession) && !factors.isDisjoint(with: [.knowledge, .inherence]) ? .aal2 : .aal1
    }

    /// When a piece of evidence is used up; a step-up renews its own piece and no other.
    private func end(of piece: SessionEvidence) -> Timestamp {
        piece.at + (lifetimes[piece.kind] ?? defaultLifetime).absolute
    }

    private func idleLimit(of evidence: [SessionEvidence]) -> Timestamp.Span {
        evidence.map { (lifetimes[$0.kind] ?? defaultLifetime).idle }.min() ?? defaultLifetime.idle
    }
}

extension SessionPolicy {
    /// What a session lacks to change credentials; `nil` if it is fresh.
    ///
    /// Where the account has a passkey that has settled, only a passkey will do, and a user-verified one if any of them
    /// ever was; else any credential does. So a stolen password can't plant a passkey beside an existing one, an owner can
    /// undo a planted first one, and whoever has none can enrol the first right after a password sign-in. A session that was
    /// opened by a one-time link exists for nothing else.
    ///
    /// - Parameter enabled: The kinds that can sign in at all.
    public func lackOfFreshness(
        in session: StoredSession,
        credentials: [StoredCredential],
        enabled: [CredentialKind],
        now: Timestamp
    ) -> Refusal? {
        let passkeys = credentials.filter { $0.kind == .passkey && $0.settlesAt <= now }
        let needsVerification = passkeys.contains { $0.userVerified }
        let recent = session.evidence.filter { now - $0.at <= fresh }
        let isFresh = recent.contains { piece in
            session.scope == .enrollment || passkeys.isEmpty
                || piece.kind == .passkey && (piece.proof.userVerified || !needsVerification)
        }
        guard !isFresh else { return nil }
        let held = Set(credentials.map(\.kind))
        return Refusal(
            .freshSessionRequired,
            "the session did not prove itself recently enough",
            remedy: .freshSession(
                kinds: passkeys.isEmpty ? enabled.filter(held.contains) : [.passkey],
                assurance: needsVerification ? .aal2 : .aal1,
                maxAge: fresh.wholeSeconds
            )
        )
    }

    /// From when on a credential raises the bar, enrolled by this session at `now`.
    ///
    /// At once, if the session holds a key that has settled itself, or was opened by a link that an administrator made, or
    /// if there was no account before. Else a password alone could plant one key, and with that key another that settles at
    /// once; or somebody who found a recovery code could keep its owner out.
    func settlingTime(
        enrolledBy session: StoredSession?,
        credentials: [StoredCredential],
        now: Timestamp
    ) -> Timestamp {
        guard let session, !session.evidence.contains(where: { $0.kind == .recoveryLink }) else { return now }
        let settled = Set(credentials.filter { $0.settlesAt <= now }.map(\.id))
        let isTrusted =
            session.scope == .full
            && session.evidence.contains {
                $0.proof.factors.contains(.possession) && settled.contains($0.credential)
            }
        return isTrusted ? now : now + settling
    }
}
