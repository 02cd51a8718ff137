import GatehouseKit
import GatehouseTesting
import Storage
import Testing

@testable import GatehouseCore

/// Sign-ins that take two steps, because the policy asks for more than a password.
struct SecondFactorTests {
    private let gateway: Gateway
    private let lee: Account

    init() throws {
        gateway = try Gateway(
            policy: SessionPolicy(minimum: MinimumAssurance(byGroup: ["admin": .aal2])),
            throttle: ThrottlePolicy(freeFailures: 3)
        )
        lee = try gateway.add("lee", groups: ["admin"])
    }

    /// Gives lee a badge, with which alone the policy is content.
    private func enrollBadge() throws {
        let opened = try gateway.complete(try gateway.begin(), "lee")
        try gateway.enrollBadge("7", in: CachedSession(session: opened.issued.session, account: lee))
    }

    private func firstStep(from origin: RequestOrigin = .test) throws -> BegunSignIn {
        let outcome = try gateway.answer(try gateway.begin(), "lee", from: origin)
        guard case .needsSecondFactor(let begun) = outcome else {
            throw Refusal(.forbidden, "signed in at once")
        }
        return begun
    }

    private func sessions() throws -> [StoredSession] { try gateway.sessions.sessions(of: lee.id) }

    @Test func `a password opens nothing where a second factor is asked for, and both together do`() throws {
        try enrollBadge()
        let before = try sessions()
        let first = try gateway.begin()
        guard case .needsSecondFactor(let begun) = try gateway.answer(first, "lee") else {
            Issue.record("signed in at once"); return
        }
        #expect(try sessions() == before)
        #expect(begun.ceremony.kinds == [.passkey] && begun.account?.username == "lee")
        #expect(begun.ceremony.id != first)
        #expect(refusal { _ = try gateway.complete(first, "lee") } == .ceremonyConsumed)
        let done = try gateway.complete(begun.ceremony.id, "", "7", kind: .passkey)
        #expect(done.issued.session.assurance == .aal2)
        #expect(done.issued.session.methods == [.password, .passkey])
        #expect(try gateway.events(of: lee).prefix(2) == [.signedIn, .firstFactorProved])
        #expect(refusal { _ = try gateway.complete(begun.ceremony.id, "", "7", kind: .passkey) } == .ceremonyConsumed)
    }

    @Test func `the second step has a challenge of its own`() throws {
        try enrollBadge()
        #expect(try firstStep().ceremony.challenge != firstStep().ceremony.challenge)
    }

    @Test func `one credential that is enough is asked for nothing more`() throws {
        try enrollBadge()
        let done = try gateway.complete(try gateway.begin(), "", "7", kind: .passkey)
        #expect(done.issued.session.methods == [.passkey])
    }

    @Test func `who is in no such group is asked for nothing more`() throws {
        try gateway.add("kim")
        #expect(try gateway.complete(try gateway.begin(), "kim").issued.session.assurance == .aal1)
    }

    @Test func `the second step takes another kind, of the same account`() throws {
        try enrollBadge()
        try gateway.add("kim")
        let kim = try gateway.session(of: "kim")
        try gateway.enrollBadge("8", in: kim)
        let begun = try firstStep()
        #expect(refusal { _ = try gateway.complete(begun.ceremony.id, "lee") } == .kindNotRequested)
        #expect(
            refusal { _ = try gateway.complete(begun.ceremony.id, "", "8", kind: .passkey) } == .ceremonyAccountMismatch
        )
        _ = try gateway.complete(begun.ceremony.id, "", "7", kind: .passkey)
    }

    @Test func `a first factor that changes between the steps is worth nothing`() throws {
        try enrollBadge()
        let begun = try firstStep()
        let strong = try gateway.complete(try gateway.begin(), "", "7", kind: .passkey)
        let session = CachedSession(session: strong.issued.session, account: lee)
        try gateway.credentials.setSecret(to: Secret("another"), checking: nil, in: session, from: .test)
        #expect(
            refusal { _ = try gateway.complete(begun.ceremony.id, "", "7", kind: .passkey) } == .ceremonyUnknown
        )
    }

    @Test func `signing out everywhere ends what is half done`() throws {
        try enrollBadge()
        let begun = try firstStep()
        try gateway.sessions.end(
            .account(lee.id, except: nil),
            by: AuditEvent(at: gateway.clock.now, action: .sessionsEnded)
        )
        #expect(
            refusal { _ = try gateway.complete(begun.ceremony.id, "", "7", kind: .passkey) } == .ceremonyUnknown
        )
    }

    @Test func `an account that is disabled between the steps stays out`() throws {
        try enrollBadge()
        let begun = try firstStep()
        try gateway.accounts.setDisabled(true, lee.id)
        #expect(throws: (any Error).self) {
            _ = try gateway.complete(begun.ceremony.id, "", "7", kind: .passkey)
        }
    }

    @Test func `a right password is no failure, and makes no address familiar before the second step`() throws {
        try enrollBadge()
        for _ in 0..<5 { _ = try firstStep(from: .elsewhere) }
        #expect(try !isFamiliar())
        let begun = try firstStep(from: .elsewhere)
        _ = try gateway.complete(begun.ceremony.id, "", "7", kind: .passkey, from: .elsewhere)
        #expect(try isFamiliar())
    }

    private func isFamiliar() throws -> Bool {
        let guess = Guess(identifier: lee.identifier, kind: .password, source: RequestOrigin.elsewhere.throttleKey)
        return try gateway.storage.read { (reader) throws(ProviderFault) in
            try reader.isFamiliar(guess.nameFromSource)
        }
    }

    // MARK: Nothing to ask for

    @Test func `who has no second factor may enrol a passkey and nothing else, and is in with it`() throws {
        let opened = try gateway.complete(try gateway.begin(), "lee")
        #expect(opened.issued.session.scope == .firstPasskey && opened.issued.session.assurance == .aal1)
        let session = CachedSession(session: opened.issued.session, account: lee)
        #expect(
            refusal {
                try gateway.credentials.setSecret(to: Secret("another"), checking: nil, in: session, from: .test)
            } == .stepUpRequired
        )
        #expect(refusal { _ = try gateway.begin(stepUp: StepUp(), in: session) } == .stepUpRequired)
        let issued = try #require(try gateway.enrollBadge("7", in: session).issued)
        #expect(issued.session.scope == .full && issued.session.assurance == .aal2)
        #expect(try gateway.sessions.current(opened.issued.token) == nil)
    }

    @Test func `a session that waits for the first passkey is over once there is one`() throws {
        let thief = try gateway.complete(try gateway.begin(), "lee")
        try enrollBadge()
        let session = CachedSession(session: thief.issued.session, account: lee)
        #expect(refusal { try gateway.enrollBadge("8", in: session) } == .freshSessionRequired)
    }

    @Test func `a password never opens even that where there is a passkey that can't be asked for`() throws {
        try enrollBadge()
        let others = try ProviderRegistry([
            WordProvider(vault: StorageVault(storage: gateway.storage, kind: .password))
        ])
        let held = try gateway.held(by: lee)
        let admission = gateway.policy.admit(
            Evidences.password,
            for: lee,
            holding: others.held(held),
            now: gateway.clock.now
        )
        guard case .refuse(let refusal) = admission else { Issue.record("admitted"); return }
        #expect(refusal.code == .stepUpImpossible)
    }

    @Test func `a passkey that did not verify its user is asked to where nothing stands beside it`() throws {
        let badge = try gateway.held(by: lee).filter { $0.kind == .passkey }
        let admission = gateway.policy.admit(
            Evidences.presentPasskey,
            for: lee,
            holding: HeldCredentials(badge, usable: badge),
            now: gateway.clock.now
        )
        guard case .refuse(let refusal) = admission else { Issue.record("admitted"); return }
        #expect(refusal.code == .userVerificationRequired)
    }

    // MARK: Sessions from before

    @Test func `a session of too little is asked for more wherever it goes`() throws {
        let old = StoredSession.weak(of: lee, at: gateway.clock.now)
        let verdict = gateway.policy.evaluate(
            old,
            groups: lee.groups,
            requirement: Requirement(),
            lastSeen: gateway.clock.now,
            now: gateway.clock.now
        )
        #expect(verdict == .stepUp(StepUp(assurance: .aal2)))
        #expect(gateway.sessions.shortfall(of: CachedSession(session: old, account: lee)) == .aal2)
        #expect(
            gateway.policy.evaluate(
                old,
                groups: [],
                requirement: Requirement(),
                lastSeen: gateway.clock.now,
                now: gateway.clock.now
            ) == .allow
        )
    }
}

extension RequestOrigin {
    fileprivate static let elsewhere = RequestOrigin(
        userAgent: "test",
        address: "198.51.100.7",
        client: .browser,
        isBrowser: true,
        throttleKey: "198.51.100.7",
        requestID: "request"
    )
}

extension StoredSession {
    /// As a password alone opens it where that is enough.
    static func weak(of account: Account, at now: Timestamp) -> StoredSession {
        StoredSession(
            id: .random(),
            account: account.id,
            client: .browser,
            scope: .full,
            assurance: .aal1,
            evidence: [
                SessionEvidence(kind: .password, credential: .random(), proof: Evidences.password.proof, at: now)
            ],
            createdAt: now,
            authenticatedAt: now,
            lastSeenAt: now,
            expiresAt: now + .hours(1),
            idleLimit: .hours(1),
            userAgent: nil,
            address: nil
        )
    }
}
