public import GatehouseKit

/// The answer to "may this evidence open a session?".
public enum Admission: Sendable {
    case issue(Grant)
    /// Right, and not enough: one of these kinds would be, in the same sign-in.
    case needsSecondFactor(FirstFactor)
    case refuse(Refusal)

    /// What was proved so far of a sign-in that takes more than one step.
    public struct FirstFactor: Sendable {
        let kinds: [CredentialKind]
        let evidence: [SessionEvidence]
    }

    /// Permission to open one session, which nothing but ``SessionPolicy`` can make.
    public struct Grant: Sendable {
        let account: AccountID
        let scope: StoredSession.Scope
        let assurance: Assurance
        let evidence: [SessionEvidence]
        let isRemembered: Bool
        let authenticatedAt: Timestamp
        let expiresAt: Timestamp
        let idleLimit: Timestamp.Span

        fileprivate init(
            account: AccountID,
            scope: StoredSession.Scope,
            assurance: Assurance,
            evidence: [SessionEvidence],
            isRemembered: Bool = false,
            at now: Timestamp,
            expiresAt: Timestamp,
            idleLimit: Timestamp.Span
        ) {
            self.account = account
            self.scope = scope
            self.assurance = assurance
            self.evidence = evidence
            self.isRemembered = isRemembered
            authenticatedAt = now
            self.expiresAt = expiresAt
            self.idleLimit = idleLimit
        }
    }
}

/// What a piece of evidence adds to.
public struct EarlierEvidence: Sendable {
    let account: AccountID?
    let pieces: [SessionEvidence]
    /// Whether a session is open, that only rises.
    let isSession: Bool
    let isRemembered: Bool

    /// The session of a step-up.
    public init(_ session: StoredSession) {
        account = session.account
        pieces = session.evidence
        isSession = true
        isRemembered = session.isRemembered
    }

    /// The steps before in a sign-in, if there were any.
    public init(_ ceremony: StoredCeremony) {
        account = ceremony.account
        pieces = ceremony.evidence
        isSession = false
        isRemembered = ceremony.isRemembered
    }

    /// Nothing that is known of the account, or what it proved before without opening a session.
    public init(_ pieces: [SessionEvidence] = []) {
        account = nil
        self.pieces = pieces
        isSession = false
        isRemembered = false
    }
}

/// What else an account could prove itself with.
public struct HeldCredentials: Sendable {
    /// Those that can sign in today.
    let usable: [StoredCredential]
    /// Whether it has any, usable or not.
    let hasPasskey: Bool

    public init(_ all: [StoredCredential], usable: [StoredCredential]) {
        self.usable = usable
        hasPasskey = all.contains { $0.kind == .passkey }
    }
}

extension SessionPolicy {
    /// Judges a sign-in, or a step-up.
    ///
    /// - Parameters:
    ///   - account: The account that the evidence names.
    ///   - held: Its credentials, as they are now.
    ///   - passwordOnlyEnrolls: Whether a password with nothing beside it is good for enrolling a passkey only.
    public func admit(
        _ evidence: SessionEvidence,
        for account: Account,
        addingTo earlier: EarlierEvidence = EarlierEvidence(),
        holding held: HeldCredentials,
        passwordOnlyEnrolls: Bool = false,
        now: Timestamp
    ) -> Admission {
        if account.isDisabled { return .refuse(Self.refusal(toDisabledAccountProvedBy: evidence)) }
        guard earlier.account.map({ $0 == account.id }) ?? true else {
            return .refuse(Refusal(.ceremonyAccountMismatch, "evidence of another account"))
        }
        let isRemembered = earlier.isRemembered && lifetimes.remembered != nil
        func lifetime(_ piece: SessionEvidence) -> SessionLifetimes.Lifetime {
            lifetimes.lifetime(of: piece.kind, groups: account.groups, isRemembered: isRemembered)
        }
        // A step-up renews its own piece and no other.
        let all =
            earlier.pieces.filter { $0.kind != evidence.kind && now < $0.at + lifetime($0).absolute } + [evidence]
        let assurance = Self.assurance(of: all)
        guard earlier.isSession || assurance >= minimum.level(for: account.groups) else {
            return tooLittle(all, for: account, holding: held, now: now)
        }
        if passwordOnlyEnrolls, !earlier.isSession, all.allSatisfy({ $0.kind == .password }) {
            return .issue(enrollmentGrant(all, scope: .firstPasskey, for: account, now: now))
        }
        return .issue(
            Admission.Grant(
                account: account.id,
                scope: .full,
                assurance: assurance,
                evidence: all,
                isRemembered: isRemembered,
                at: now,
                expiresAt: all.map { $0.at + lifetime($0).absolute }.min() ?? now,
                idleLimit: all.map { lifetime($0).idle }.min() ?? lifetimes.standard.idle
            )
        )
    }

    /// Whoever has proved too little proves more, or enrols what it takes.
    private func tooLittle(
        _ proved: [SessionEvidence],
        for account: Account,
        holding held: HeldCredentials,
        now: Timestamp
    ) -> Admission {
        let others = held.usable.filter { credential in !proved.contains { $0.kind == credential.kind } }
        let kinds = Self.kinds(of: others, raising: proved, to: minimum.level(for: account.groups))
        if !kinds.isEmpty { return .needsSecondFactor(Admission.FirstFactor(kinds: kinds, evidence: proved)) }
        if proved.contains(where: { $0.kind == .passkey && !$0.proof.userVerified }) {
            return .refuse(Refusal(.userVerificationRequired, "a passkey alone has to verify its user here"))
        }
        // Else a stolen password would do where its owner has a passkey that can't be asked for just now.
        guard !held.hasPasskey else {
            return .refuse(Refusal(.stepUpImpossible, "the account has nothing that would make a second factor"))
        }
        return .issue(enrollmentGrant(proved, scope: .firstPasskey, for: account, now: now))
    }

    /// Admits whoever gets back in, to enrol a credential and for nothing else.
    ///
    /// - Parameter evidence: Of a one-time link, or of a credential for recovery.
    public func admitToEnrollment(
        _ evidence: SessionEvidence,
        for account: Account,
        now: Timestamp
    ) throws(Refusal) -> Admission.Grant {
        guard !account.isDisabled else { throw Refusal(.credentialRejected, "the account is disabled") }
        return enrollmentGrant([evidence], scope: .enrollment, for: account, now: now)
    }

    private func enrollmentGrant(
        _ evidence: [SessionEvidence],
        scope: StoredSession.Scope,
        for account: Account,
        now: Timestamp
    ) -> Admission.Grant {
        Admission.Grant(
            account: account.id,
            scope: scope,
            assurance: .aal1,
            evidence: evidence,
            at: now,
            expiresAt: now + SessionLifetimes.enrollment.absolute,
            idleLimit: SessionLifetimes.enrollment.idle
        )
    }

    /// That an account is disabled is said only to someone who proved with a key that it is theirs.
    private static func refusal(toDisabledAccountProvedBy evidence: SessionEvidence) -> Refusal {
        evidence.proof.factors.contains(.possession)
            ? Refusal(.accountDisabled, "the account is disabled")
            : Refusal(.credentialRejected, "the account is disabled")
    }
}
