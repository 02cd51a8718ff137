import Foundation
import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Storage
import Testing

struct SignInServiceTests {
    let gateway: Gateway

    init() throws { gateway = try Gateway() }

    @Test func `a right credential opens a session that its token finds`() throws {
        let lee = try gateway.add("lee")
        let result = try gateway.complete(try gateway.begin(), "lee")
        #expect(result.account == lee)
        #expect(result.issued.session.assurance == .aal1)
        let found = try gateway.sessions.current(result.issued.token)
        #expect(found?.session.id == result.issued.session.id)
        gateway.sessions.cache.removeAll()
        let read = try #require(try gateway.sessions.current(result.issued.token)).session
        #expect(read.id == result.issued.session.id && read.evidence == result.issued.session.evidence)
        #expect(read.expiresAt == result.issued.session.expiresAt && read.address == "192.0.2.1")
        #expect(try gateway.events(of: lee).first == .signedIn)
    }

    @Test func `of fifty right responses at once exactly one wins`() throws {
        try gateway.add("lee")
        for _ in 0..<20 {
            let ceremony = try gateway.begin()
            let codes = race(50) { _ in refusal { _ = try gateway.complete(ceremony, "lee") } }
            #expect(codes.count { $0 == nil } == 1)
            #expect(codes.compactMap(\.self).allSatisfy { $0 == .ceremonyConsumed || $0 == .ceremonyExhausted })
        }
        #expect(try gateway.sessions.sessions(of: gateway.accounts.find("lee").id).count == 20)
    }

    @Test func `a captured response opens nothing more`() throws {
        try gateway.add("lee")
        let ceremony = try gateway.begin()
        _ = try gateway.complete(ceremony, "lee")
        for _ in 0..<3 { #expect(refusal { _ = try gateway.complete(ceremony, "lee") } == .ceremonyConsumed) }
    }

    @Test func `a wrong response leaves the ceremony usable until its attempts are spent`() throws {
        try gateway.add("lee")
        let ceremony = try gateway.begin()
        for _ in 0..<4 { #expect(refusal { _ = try gateway.complete(ceremony, "lee", "no") } == .credentialRejected) }
        _ = try gateway.complete(ceremony, "lee")
        let spent = try gateway.begin()
        for _ in 0..<5 { #expect(refusal { _ = try gateway.complete(spent, "lee", "no") } == .credentialRejected) }
        #expect(refusal { _ = try gateway.complete(spent, "lee") } == .ceremonyExhausted)
    }

    @Test func `a ceremony ends with its time`() throws {
        try gateway.add("lee")
        let ceremony = try gateway.begin()
        gateway.clock.advance(by: .minutes(5))
        #expect(refusal { _ = try gateway.complete(ceremony, "lee") } == .ceremonyExpired)
        #expect(refusal { _ = try gateway.complete(.random(), "lee") } == .ceremonyUnknown)
    }

    @Test func `ceremonies of two clients don't touch each other`() throws {
        try gateway.add("lee")
        try gateway.add("kim")
        let first = try gateway.begin("lee")
        let second = try gateway.begin("kim")
        #expect(try gateway.complete(second, "kim").account.username == "kim")
        #expect(try gateway.complete(first, "lee").account.username == "lee")
    }

    @Test func `a ceremony for one name takes no other`() throws {
        try gateway.add("lee")
        try gateway.add("kim")
        let ceremony = try gateway.begin("Lee")
        #expect(refusal { _ = try gateway.complete(ceremony, "kim") } == .identifierMismatch)
        _ = try gateway.complete(ceremony, "LEE", "leelee")
    }

    @Test func `kinds are those that were asked for and exist`() throws {
        try gateway.add("lee")
        let ceremony = try gateway.begin(kinds: [.passkey, CredentialKind("unheard-of")])
        #expect(refusal { _ = try gateway.complete(ceremony, "lee") } == .kindNotRequested)
        #expect(refusal { _ = try gateway.begin(kinds: [CredentialKind("unheard-of")]) } == .unknownKind)
        #expect(refusal { _ = try gateway.begin(kinds: []) } == .unknownKind)
        #expect(
            refusal { _ = try gateway.complete(ceremony, "lee", kind: CredentialKind("unheard-of")) } == .notHandled
        )
    }

    @Test func `in a named ceremony every failure is the same`() throws {
        try gateway.add("lee")
        let named = try gateway.begin("lee")
        #expect(refusal { _ = try gateway.complete(named, "lee", "ghost", kind: .passkey) } == .credentialRejected)
        let discoverable = try gateway.begin()
        #expect(
            refusal { _ = try gateway.complete(discoverable, "lee", "ghost", kind: .passkey) } == .credentialUnknown
        )
    }

    @Test func `a disabled account is refused like a wrong secret, and its sessions are over`() throws {
        let lee = try gateway.add("lee")
        let session = try gateway.complete(try gateway.begin(), "lee")
        try gateway.accounts.setDisabled(true, lee.id)
        gateway.sessions.cache.removeAll()
        #expect(try gateway.sessions.current(session.issued.token) == nil)
        #expect(refusal { _ = try gateway.complete(try gateway.begin(), "lee") } == .credentialRejected)
        try gateway.accounts.setDisabled(false, lee.id)
        _ = try gateway.complete(try gateway.begin(), "lee")
    }

    @Test func `signing in again ends the session that came along`() throws {
        try gateway.add("lee")
        try gateway.add("kim")
        let first = try gateway.complete(try gateway.begin(), "lee")
        let cached = try gateway.sessions.current(first.issued.token)
        #expect(
            refusal { _ = try gateway.complete(try gateway.begin(), "kim", "no", in: cached) } == .credentialRejected
        )
        #expect(try gateway.sessions.current(first.issued.token) != nil)
        let second = try gateway.complete(try gateway.begin(), "kim", in: cached)
        #expect(try gateway.sessions.current(first.issued.token) == nil)
        #expect(try gateway.sessions.current(second.issued.token)?.account.username == "kim")
        #expect(first.issued.token.text != second.issued.token.text)
    }

    // MARK: Step-up

    @Test func `a step-up adds to the session under a new token, and the old one fades`() throws {
        try gateway.add("lee")
        let session = try gateway.session(of: "lee")
        try gateway.enrollBadge("7", in: session)
        let weak = try gateway.complete(try gateway.begin(), "lee")
        let cached = try #require(try gateway.sessions.current(weak.issued.token))
        let ceremony = try gateway.begin(stepUp: StepUp(kinds: [.passkey], assurance: .aal2), in: cached)
        let strong = try gateway.complete(ceremony, "lee", "7", kind: .passkey, in: cached)
        #expect(strong.issued.session.assurance == .aal2)
        #expect(strong.issued.session.methods == [.password, .passkey])
        #expect(try gateway.sessions.current(weak.issued.token) == nil)
        let faded = try #require(try gateway.sessions.find(weak.issued.token))
        #expect(faded.session.assurance == .aal1)
        #expect(gateway.policy.isAlive(faded.session, lastSeen: faded.lastSeen, now: gateway.clock.now))
        gateway.clock.advance(by: .seconds(10))
        #expect(!gateway.policy.isAlive(faded.session, lastSeen: faded.lastSeen, now: gateway.clock.now))
    }

    @Test func `a replaced token ends with the session that took its place`() throws {
        try gateway.add("lee")
        let session = try gateway.session(of: "lee")
        try gateway.enrollBadge("7", in: session)
        let weak = try gateway.complete(try gateway.begin(), "lee")
        let cached = try #require(try gateway.sessions.current(weak.issued.token))
        let ceremony = try gateway.begin(stepUp: StepUp(kinds: [.passkey]), in: cached)
        let strong = try gateway.complete(ceremony, "lee", "7", kind: .passkey, in: cached)
        try gateway.sessions.end(
            .one(strong.issued.session.id),
            by: AuditEvent(at: gateway.clock.now, action: .signedOut)
        )
        #expect(try gateway.sessions.find(weak.issued.token) == nil)
        #expect(try gateway.sessions.find(strong.issued.token) == nil)
    }

    @Test func `a step-up belongs to its session and its account`() throws {
        try gateway.add("lee")
        try gateway.add("kim")
        let lee = try gateway.session(of: "lee")
        let kim = try gateway.session(of: "kim")
        let ceremony = try gateway.begin(stepUp: StepUp(), in: lee)
        #expect(refusal { _ = try gateway.complete(ceremony, "lee") } == .sessionRequired)
        #expect(refusal { _ = try gateway.complete(ceremony, "lee", in: kim) } == .ceremonyAccountMismatch)
        #expect(refusal { _ = try gateway.complete(ceremony, "kim", in: lee) } == .ceremonyAccountMismatch)
        _ = try gateway.complete(ceremony, "lee", in: lee)
    }

    @Test func `a step-up that the account can never make is said to be impossible`() throws {
        try gateway.add("lee")
        let lee = try gateway.session(of: "lee")
        for wanted in [StepUp(kinds: [.passkey]), StepUp(assurance: .aal2), StepUp(assurance: .aal3)] {
            #expect(refusal { _ = try gateway.begin(stepUp: wanted, in: lee) } == .stepUpImpossible)
        }
        try gateway.enrollBadge("7", in: lee)
        _ = try gateway.begin(stepUp: StepUp(assurance: .aal2), in: lee)
        #expect(refusal { _ = try gateway.begin(stepUp: StepUp(), in: nil) } == .sessionRequired)
        #expect(refusal { _ = try gateway.begin("lee", stepUp: StepUp(), in: lee) } == .malformedRequest)
    }

    // MARK: Clients, throttles, counters

    @Test func `a page in a browser can't finish what an app began`() throws {
        try gateway.add("lee")
        let ceremony = try gateway.begin(client: .native)
        #expect(refusal { _ = try gateway.complete(ceremony, "lee") } == .browserContext)
        let issued = try gateway.complete(ceremony, "lee", from: .app).issued
        #expect(issued.session.client == .native)
    }

    @Test func `failures are counted for the name and the kind, known or not, and success clears them`() throws {
        let gateway = try Gateway(throttle: ThrottlePolicy(freeFailures: 3))
        try gateway.add("lee")
        for name in ["lee", "nobody"] {
            for _ in 0..<3 {
                #expect(refusal { _ = try gateway.complete(try gateway.begin(), name, "no") } == .credentialRejected)
            }
            #expect(refusal { _ = try gateway.complete(try gateway.begin(), name) } == .tooManyAttempts)
        }
        gateway.clock.advance(by: .seconds(1))
        _ = try gateway.complete(try gateway.begin(), "lee")
        #expect(refusal { _ = try gateway.complete(try gateway.begin(), "lee", "no") } == .credentialRejected)
        _ = try gateway.complete(try gateway.begin(), "lee")
    }

    @Test func `of two sign-ins that read one counter, one is refused`() throws {
        try gateway.add("lee")
        try gateway.enrollBadge("7", in: try gateway.session(of: "lee"))
        let record = try #require(
            try gateway.storage.read { (reader) throws(ProviderFault) in
                try reader.credential(kind: .passkey, key: Array("7".utf8))
            }
        )
        _ = try gateway.complete(try gateway.begin(), "lee", "7", kind: .passkey)
        let stale = CredentialChange(payload: [9], version: record.record.version, isEssential: true)
        #expect(try !gateway.storage.write { try $0.apply(stale, to: record.id) })
    }

    @Test func `what can't be decoded is malformed and costs no attempt`() throws {
        try gateway.add("lee")
        let ceremony = try gateway.begin()
        for _ in 0..<10 {
            #expect(
                refusal {
                    _ = try gateway.signIn.complete(
                        PresentedCredential(
                            ceremony: ceremony,
                            kind: .password,
                            json: .init("{\"credential\":{\"word\":7}}".utf8),
                            placement: .nested
                        ),
                        from: .test,
                        in: nil
                    )
                } == .malformedCredential
            )
        }
        _ = try gateway.complete(ceremony, "lee")
    }

    // MARK: What ends meanwhile

    @Test func `a session that was ended while it was opened is nowhere to be found`() throws {
        let lee = try gateway.add("lee")
        let end = AuditEvent(at: gateway.clock.now, action: .sessionsEnded)
        let tokens = race(8) { index -> [SessionToken] in
            (0..<60).compactMap { _ in
                guard index > 0 else {
                    _ = try? gateway.sessions.end(.account(lee.id, except: nil), by: end)
                    return nil
                }
                let ceremony = try? gateway.begin()
                return ceremony.flatMap { try? gateway.complete($0, "lee").issued.token }
            }
        }.flatMap(\.self)
        #expect(tokens.count > 100)
        let listed = Set(try gateway.sessions.sessions(of: lee.id).map(\.id))
        for token in tokens {
            let found = try gateway.sessions.current(token)
            #expect(found.map { listed.contains($0.session.id) } ?? true)
        }
    }

    @Test func `a step-up does not outlive the end of its session`() throws {
        try gateway.add("lee")
        let lee = try gateway.session(of: "lee")
        let ceremony = try gateway.begin(stepUp: StepUp(), in: lee)
        try gateway.sessions.end(
            .one(lee.session.id),
            by: AuditEvent(at: gateway.clock.now, action: .signedOut)
        )
        #expect(refusal { _ = try gateway.complete(ceremony, "lee", in: lee) } == .sessionRequired)
        #expect(try gateway.sessions.sessions(of: lee.account.id).isEmpty)
    }

    @Test func `of two step-ups of one session, one takes its place`() throws {
        try gateway.add("lee")
        let lee = try gateway.session(of: "lee")
        let ceremonies = try (0..<2).map { _ in try gateway.begin(stepUp: StepUp(), in: lee) }
        let codes = race(2) { index in refusal { _ = try gateway.complete(ceremonies[index], "lee", in: lee) } }
        #expect(codes.count { $0 == nil } == 1)
        #expect(codes.count { $0 == .sessionRequired } == 1)
        #expect(try gateway.sessions.sessions(of: lee.account.id).count == 1)
    }

    @Test func `passkeys can't be locked out by name`() throws {
        let gateway = try Gateway(throttle: ThrottlePolicy(freeFailures: 1))
        try gateway.add("lee")
        try gateway.enrollBadge("7", in: try gateway.session(of: "lee"))
        for _ in 0..<5 {
            let ceremony = try gateway.begin("lee", kinds: [.passkey])
            #expect(
                refusal { _ = try gateway.complete(ceremony, "lee", "ghost", kind: .passkey) } == .credentialRejected
            )
        }
        let ceremony = try gateway.begin("lee", kinds: [.passkey])
        _ = try gateway.complete(ceremony, "lee", "7", kind: .passkey)
    }

    @Test func `a refusal is kept with the account that was meant`() throws {
        let lee = try gateway.add("lee")
        #expect(refusal { _ = try gateway.complete(try gateway.begin(), "lee", "no") } == .credentialRejected)
        #expect(try gateway.events(of: lee).first == .signInRefused)
    }
}
