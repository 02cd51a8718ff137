import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Storage
import Testing

struct CredentialServiceTests {
    let gateway: Gateway

    init() throws { gateway = try Gateway() }

    private func badges(of account: Account) throws -> [StoredCredential] {
        try gateway.held(by: account).filter { $0.kind == .passkey }
    }

    @Test func `of two removals of the last two, one is refused, every time`() throws {
        for round in 0..<100 {
            let begun = try gateway.enrollment.begin(EnrollmentRequest(collection: "badges"), in: nil)
            let made = try gateway.finishBadge(begun.ceremony, "\(round)-a")
            let issued = try #require(made.issued)
            let session = CachedSession(session: issued.session, account: made.account)
            try gateway.enrollBadge("\(round)-b", in: session)
            let both = try badges(of: made.account)
            let codes = race(2) { index in
                refusal { _ = try gateway.credentials.remove(both[index].id, "badges", in: session) }
            }
            #expect(codes.count { $0 == nil } == 1)
            // The session goes with the credential that it was born from, if that was the first to go.
            #expect(codes.contains(.lastCredential) || codes.contains(.sessionRequired))
            #expect(try badges(of: made.account).count == 1)
        }
    }

    @Test func `removing a credential ends the sessions born from it, and no others`() throws {
        let lee = try gateway.add("lee")
        try gateway.enrollBadge("7", in: try gateway.session(of: "lee"))
        let byWord = try gateway.complete(try gateway.begin(), "lee")
        let byBadge = try gateway.complete(try gateway.begin(), "lee", "7", kind: .passkey)
        let current = try #require(try gateway.sessions.current(byBadge.issued.token))
        _ = try gateway.credentials.remove(try badges(of: lee)[0].id, "badges", in: current)
        #expect(try gateway.sessions.find(byBadge.issued.token) == nil)
        #expect(try gateway.sessions.find(byWord.issued.token) != nil)
        #expect(
            refusal { _ = try gateway.complete(try gateway.begin(), "lee", "7", kind: .passkey) } == .credentialUnknown
        )
    }

    @Test func `somebody else's credential is not there`() throws {
        try gateway.add("lee")
        let kim = try gateway.add("kim")
        try gateway.enrollBadge("7", in: try gateway.session(of: "kim"))
        let theirs = try badges(of: kim)[0].id
        let lee = try gateway.session(of: "lee")
        #expect(refusal { _ = try gateway.credentials.remove(theirs, "badges", in: lee) } == .notFound)
        #expect(refusal { try gateway.credentials.rename(theirs, "badges", to: "Mine", in: lee) } == .notFound)
        #expect(try badges(of: kim).count == 1)
    }

    @Test(arguments: ["", String(repeating: "x", count: 65), "a\nb", "a\u{0}"])
    func `a name must be one that can be shown`(name: String) throws {
        let lee = try gateway.add("lee")
        let session = try gateway.session(of: "lee")
        try gateway.enrollBadge("7", in: session)
        let mine = try badges(of: lee)[0].id
        #expect(refusal { try gateway.credentials.rename(mine, "badges", to: name, in: session) } == .invalidValue)
        try gateway.credentials.rename(mine, "badges", to: "Front door 🔑", in: session)
        #expect(try badges(of: lee)[0].record.name == "Front door 🔑")
    }

    @Test func `a changed password ends the sessions of the old one, except the one that changed it`() throws {
        try gateway.add("lee")
        let other = try gateway.complete(try gateway.begin(), "lee")
        let mine = try gateway.complete(try gateway.begin(), "lee")
        let session = try #require(try gateway.sessions.current(mine.issued.token))
        try gateway.credentials.setSecret(to: Secret("new"), checking: nil, in: session, from: .test)
        #expect(try gateway.sessions.find(other.issued.token) == nil)
        #expect(try gateway.sessions.find(mine.issued.token) != nil)
        #expect(refusal { _ = try gateway.complete(try gateway.begin(), "lee") } == .credentialRejected)
        _ = try gateway.complete(try gateway.begin(), "lee", "new")
    }

    @Test func `every later change of the password ends the sessions of every earlier one`() throws {
        try gateway.add("lee")
        let change = { (word: String, session: CachedSession) in
            try gateway.credentials.setSecret(to: Secret(word), checking: nil, in: session, from: .test)
        }
        let thief = try gateway.complete(try gateway.begin(), "lee")
        try change("stolen", try #require(try gateway.sessions.current(thief.issued.token)))
        let owner = try gateway.complete(try gateway.begin(), "lee", "stolen")
        try change("mine", try #require(try gateway.sessions.current(owner.issued.token)))
        #expect(try gateway.sessions.current(thief.issued.token) == nil)
        #expect(try gateway.sessions.current(owner.issued.token) != nil)
    }

    @Test func `a session that ended meanwhile changes nothing`() throws {
        let lee = try gateway.add("lee")
        let session = try gateway.session(of: "lee")
        try gateway.enrollBadge("7", in: session)
        try gateway.sessions.end(
            .account(lee.id, except: nil),
            by: AuditEvent(at: gateway.clock.now, action: .sessionsEnded)
        )
        let badge = try #require(try badges(of: lee).first).id
        #expect(
            refusal {
                try gateway.credentials.setSecret(to: Secret("new"), checking: nil, in: session, from: .test)
            } == .sessionRequired
        )
        #expect(refusal { _ = try gateway.credentials.remove(badge, "badges", in: session) } == .sessionRequired)
        #expect(refusal { try gateway.credentials.removeSecret(in: session) } == .sessionRequired)
        #expect(refusal { try gateway.credentials.rename(badge, "badges", to: "x", in: session) } == .sessionRequired)
        _ = try gateway.complete(try gateway.begin(), "lee")
    }

    @Test func `guesses at the current password count like guesses at sign-in`() throws {
        let gateway = try Gateway(throttle: ThrottlePolicy(freeFailures: 3))
        try gateway.add("lee")
        let session = try gateway.session(of: "lee")
        let change = { (word: String) in
            try gateway.credentials.setSecret(to: Secret("x"), checking: Secret(word), in: session, from: .test)
        }
        for _ in 0..<3 { #expect(refusal { try change("no") } == .credentialRejected) }
        #expect(refusal { try change("leelee") } == .tooManyAttempts)
        #expect(refusal { _ = try gateway.complete(try gateway.begin(), "lee") } == .tooManyAttempts)
        gateway.clock.advance(by: .seconds(2))
        try change("leelee")
    }

    @Test func `the only means of signing in can't be removed`() throws {
        try gateway.add("lee")
        let session = try gateway.session(of: "lee")
        #expect(refusal { try gateway.credentials.removeSecret(in: session) } == .lastCredential)
        try gateway.enrollBadge("7", in: session)
        let strong = try gateway.complete(try gateway.begin(), "lee", "7", kind: .passkey)
        let current = try #require(try gateway.sessions.current(strong.issued.token))
        try gateway.credentials.removeSecret(in: current)
        #expect(refusal { _ = try gateway.complete(try gateway.begin(), "lee") } == .credentialRejected)
    }
}
