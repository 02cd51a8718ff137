import GatehouseKit
import Testing

@testable import GatehouseCore

struct SessionPolicyTests {
    let policy = SessionPolicy()
    let now = Timestamp(milliseconds: 1_780_000_000_000)

    private func account(isDisabled: Bool = false) throws -> Account {
        let profile = try AccountProfile(username: "lee", groups: ["staff"])
        return Account(
            id: .random(),
            identifier: profile.identifier,
            username: "lee",
            displayName: "Lee",
            email: nil,
            userHandle: [1],
            groups: profile.groups,
            isDisabled: isDisabled,
            createdAt: now
        )
    }

    private func session(
        _ evidence: [SessionEvidence],
        assurance: Assurance = .aal1,
        scope: StoredSession.Scope = .full,
        lastSeen: Timestamp? = nil
    ) -> StoredSession {
        StoredSession(
            id: .random(),
            account: .random(),
            client: .browser,
            scope: scope,
            assurance: assurance,
            evidence: evidence,
            createdAt: now,
            authenticatedAt: now,
            lastSeenAt: lastSeen ?? now,
            expiresAt: now + .hours(24),
            idleLimit: .hours(1),
            userAgent: nil,
            address: nil
        )
    }

    /// The session that an admission allows.
    private func issue(_ admission: Admission) throws -> StoredSession {
        guard case .issue(let grant) = admission else { throw Refusal(.forbidden, "not admitted") }
        return StoredSession(
            id: .random(),
            account: grant.account,
            client: .browser,
            scope: grant.scope,
            assurance: grant.assurance,
            evidence: grant.evidence,
            createdAt: now,
            authenticatedAt: now,
            lastSeenAt: now,
            expiresAt: grant.expiresAt,
            idleLimit: grant.idleLimit,
            userAgent: nil,
            address: nil
        )
    }

    private func credential(_ kind: CredentialKind, verified: Bool = false, settlesAt: Timestamp? = nil)
        -> StoredCredential
    {
        .enrolled(
            NewCredential(
                key: [1],
                payload: [],
                name: nil,
                proof: Proof(factors: .possession, userVerified: verified)
            ),
            kind: kind,
            of: .random(),
            at: now,
            settlesAt: settlesAt ?? now
        )
    }

    // MARK: Admission

    @Test(arguments: [
        (Evidences.password, Assurance.aal1), (Evidences.device, .aal1), (Evidences.presentPasskey, .aal1),
        (Evidences.passkey, .aal2), (Evidences.attestedPasskey, .aal3),
    ])
    func `one credential gives the level of its factors`(evidence: SessionEvidence, level: Assurance) throws {
        let issued = try issue(policy.admit(evidence, for: account(), holding: .none, now: now))
        #expect(issued.assurance == level)
        #expect(issued.methods == [evidence.kind])
    }

    @Test func `a password and a device are two factors`() throws {
        let lee = try account()
        let first = try issue(policy.admit(Evidences.password, for: lee, holding: .none, now: now))
        let issued = try issue(
            policy.admit(Evidences.device, for: lee, addingTo: EarlierEvidence(first), holding: .none, now: now)
        )
        #expect(issued.assurance == .aal2)
        #expect(issued.methods == [.password, .trustedDevice])
    }

    @Test func `evidence of another account adds nothing`() throws {
        let admission = policy.admit(
            Evidences.passkey,
            for: try account(),
            addingTo: EarlierEvidence(session([Evidences.password])),
            holding: .none,
            now: now
        )
        guard case .refuse(let refusal) = admission else { Issue.record("admitted"); return }
        #expect(refusal.code == .ceremonyAccountMismatch)
    }

    @Test func `that an account is disabled is told only to whoever holds a key of it`() throws {
        let disabled = try account(isDisabled: true)
        for (evidence, code) in [
            (Evidences.password, ProblemCode.credentialRejected), (Evidences.passkey, .accountDisabled),
        ] {
            guard case .refuse(let refusal) = policy.admit(evidence, for: disabled, holding: .none, now: now) else {
                Issue.record("admitted"); return
            }
            #expect(refusal.code == code)
        }
    }

    @Test func `the strictest lifetime of all methods counts`() throws {
        let strict = SessionPolicy(
            lifetimes: SessionLifetimes(
                standard: .init(absolute: .hours(10), idle: .minutes(2)),
                byKind: [.password: .init(absolute: .hours(1), idle: .minutes(5))]
            )
        )
        let lee = try account()
        let alone = try issue(strict.admit(Evidences.password, for: lee, holding: .none, now: now))
        #expect(alone.expiresAt == now + .hours(1))
        #expect(alone.idleLimit == .minutes(5))
        let withPasskey = try issue(
            strict.admit(Evidences.passkey, for: lee, addingTo: EarlierEvidence(alone), holding: .none, now: now)
        )
        #expect(withPasskey.expiresAt == now + .hours(1))
        #expect(withPasskey.idleLimit == .minutes(2))
    }

    @Test func `a step-up renews what it proves and nothing else`() throws {
        let brief = SessionPolicy(lifetimes: SessionLifetimes(standard: .init(absolute: .hours(1), idle: .hours(1))))
        let lee = try account()
        let first = try issue(brief.admit(Evidences.passkey, for: lee, holding: .none, now: now))
        let later = now + .minutes(50)
        let again = SessionEvidence(kind: .password, credential: .random(), proof: Evidences.password.proof, at: later)
        let stepped = try issue(
            brief.admit(again, for: lee, addingTo: EarlierEvidence(first), holding: .none, now: later)
        )
        #expect(stepped.assurance == .aal2)
        #expect(stepped.expiresAt == now + .hours(1))
        let late = now + .minutes(61)
        let last = SessionEvidence(kind: .password, credential: .random(), proof: Evidences.password.proof, at: late)
        let worn = try issue(brief.admit(last, for: lee, addingTo: EarlierEvidence(stepped), holding: .none, now: late))
        #expect(worn.assurance == .aal1)
        #expect(worn.methods == [.password])
    }

    // MARK: Rules

    private func verdict(
        _ session: StoredSession,
        _ requirement: Requirement,
        at time: Timestamp? = nil
    ) -> Verdict {
        policy.evaluate(
            session,
            groups: ["staff"],
            requirement: requirement,
            lastSeen: session.lastSeenAt,
            now: time ?? now
        )
    }

    @Test func `a session passes what it satisfies and steps up for the rest`() {
        let weak = session([Evidences.password])
        #expect(verdict(weak, Requirement()) == .allow)
        #expect(verdict(weak, Requirement(assurance: .aal2)) == .stepUp(StepUp(assurance: .aal2)))
        #expect(verdict(weak, Requirement(kinds: [.passkey])) == .stepUp(StepUp(kinds: [.passkey], assurance: .aal1)))
        #expect(
            verdict(session([Evidences.passkey], assurance: .aal2), Requirement(kinds: [.passkey], assurance: .aal2))
                == .allow
        )
    }

    @Test func `a missing group can't be proved`() {
        let strong = session([Evidences.passkey], assurance: .aal2)
        #expect(verdict(strong, Requirement(groups: ["admin"])) == .forbid)
        #expect(verdict(strong, Requirement(groups: ["admin", "staff"])) == .allow)
    }

    @Test func `only evidence within the age counts, for kind and level`() {
        let old = SessionEvidence(
            kind: .passkey,
            credential: Evidences.passkey.credential,
            proof: Evidences.passkey.proof,
            at: now - .minutes(11)
        )
        let mixed = session([old, Evidences.password], assurance: .aal2)
        #expect(verdict(mixed, Requirement(assurance: .aal1, authenticatedWithin: .minutes(10))) == .allow)
        for requirement in [
            Requirement(assurance: .aal2, authenticatedWithin: .minutes(10)),
            Requirement(kinds: [.passkey], authenticatedWithin: .minutes(10)),
        ] {
            guard case .stepUp = verdict(mixed, requirement) else { Issue.record("passed"); return }
        }
        #expect(
            verdict(mixed, Requirement(kinds: [.passkey], assurance: .aal2, authenticatedWithin: .minutes(12)))
                == .allow
        )
    }

    @Test func `a session ends at its absolute and at its idle limit, to the millisecond`() {
        let live = session([Evidences.password])
        let justBefore = Timestamp.Span(milliseconds: 3_599_999)
        #expect(verdict(live, Requirement(), at: now + justBefore) == .allow)
        #expect(verdict(live, Requirement(), at: now + .hours(1)) == .signIn)
        let busy = session([Evidences.password], lastSeen: now + .hours(24))
        #expect(verdict(busy, Requirement(), at: now + .hours(24)) == .signIn)
        #expect(verdict(busy, Requirement(), at: now + Timestamp.Span(milliseconds: 86_399_999)) == .allow)
    }

    @Test func `a session that may only enrol passes no rule`() {
        #expect(verdict(session([Evidences.link], scope: .enrollment), Requirement()) == .signIn)
    }

    // MARK: Freshness

    private func lack(
        _ evidence: [SessionEvidence],
        _ credentials: [StoredCredential],
        scope: StoredSession.Scope = .full,
        at time: Timestamp? = nil
    ) -> Refusal? {
        policy.lackOfFreshness(
            in: session(evidence, scope: scope),
            credentials: credentials,
            enabled: [.passkey, .password],
            now: time ?? now
        )
    }

    @Test func `a fresh password enrols the first passkey, and an old one does not`() {
        let held = [credential(.password)]
        #expect(lack([Evidences.password], held) == nil)
        #expect(lack([Evidences.password], held, at: now + .minutes(10)) == nil)
        let refusal = lack([Evidences.password], held, at: now + .minutes(10) + Timestamp.Span(milliseconds: 1))
        #expect(refusal?.remedy == .freshSession(kinds: [.password], assurance: .aal1, maxAge: 600))
    }

    @Test func `a password plants no passkey beside a settled one`() {
        let held = [credential(.password), credential(.passkey)]
        #expect(lack([Evidences.password], held)?.code == .freshSessionRequired)
        #expect(lack([Evidences.presentPasskey], held) == nil)
    }

    @Test func `where a passkey ever verified its user, only a verified one will do`() {
        let held = [credential(.passkey, verified: true), credential(.passkey)]
        #expect(
            lack([Evidences.presentPasskey], held)?.remedy
                == .freshSession(kinds: [.passkey], assurance: .aal2, maxAge: 600)
        )
        #expect(lack([Evidences.passkey], held) == nil)
    }

    @Test func `a passkey that has not settled doesn't raise the bar, so that its owner can undo it`() {
        let planted = [credential(.password), credential(.passkey, settlesAt: now + .hours(24))]
        #expect(lack([Evidences.password], planted) == nil)
        #expect(
            policy.lackOfFreshness(
                in: session([
                    SessionEvidence(
                        kind: .password,
                        credential: .random(),
                        proof: Evidences.password.proof,
                        at: now + .hours(24)
                    )
                ]),
                credentials: planted,
                enabled: [.password],
                now: now + .hours(24)
            )?.code == .freshSessionRequired
        )
    }

    @Test func `a one-time link enrols whatever the account has`() {
        #expect(lack([Evidences.link], [credential(.passkey, verified: true)], scope: .enrollment) == nil)
        #expect(
            lack([Evidences.link], [credential(.passkey)], scope: .enrollment, at: now + .minutes(11))?.code
                == .freshSessionRequired
        )
    }
}

extension HeldCredentials {
    static let none = HeldCredentials([], usable: [])
}

/// Pieces of evidence of the kinds there are.
enum Evidences {
    static let at = Timestamp(milliseconds: 1_780_000_000_000)
    static let password = SessionEvidence(
        kind: .password,
        credential: .random(),
        proof: Proof(factors: .knowledge),
        at: at
    )
    static let device = SessionEvidence(
        kind: .trustedDevice,
        credential: .random(),
        proof: Proof(factors: .possession, deviceBound: true),
        at: at
    )
    static let presentPasskey = SessionEvidence(
        kind: .passkey,
        credential: .random(),
        proof: Proof(factors: .possession, phishingResistant: true),
        at: at
    )
    static let passkey = SessionEvidence(
        kind: .passkey,
        credential: .random(),
        proof: Proof(factors: [.possession, .inherence], phishingResistant: true, userVerified: true),
        at: at
    )
    static let attestedPasskey = SessionEvidence(
        kind: .passkey,
        credential: .random(),
        proof: Proof(
            factors: [.possession, .inherence],
            phishingResistant: true,
            userVerified: true,
            deviceBound: true,
            attested: true
        ),
        at: at
    )
    static let link = SessionEvidence(
        kind: .recoveryLink,
        credential: .random(),
        proof: Proof(factors: .possession),
        at: at
    )
}
