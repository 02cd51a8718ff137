import Foundation
import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Storage
import Testing

struct EnrollmentServiceTests {
    let gateway: Gateway

    init() throws { gateway = try Gateway() }

    @Test func `a sign-up makes an account, its credential and a session, together`() throws {
        let begun = try gateway.enrollment.begin(
            EnrollmentRequest(collection: "badges", username: "Lee", displayName: "Lee L."),
            in: nil
        )
        let result = try gateway.finishBadge(begun.ceremony, "7")
        #expect(result.account.username == "Lee")
        #expect(result.issued?.session.assurance == .aal2)
        #expect(try gateway.accounts.find("lee").id == result.account.id)
        #expect(result.account.userHandle.count == 64)
        #expect(try gateway.events(of: result.account).contains(.credentialEnrolled))
    }

    @Test func `without a name one is made up`() throws {
        let begun = try gateway.enrollment.begin(EnrollmentRequest(collection: "badges"), in: nil)
        #expect(try gateway.finishBadge(begun.ceremony, "7").account.username.hasPrefix("user-"))
    }

    @Test func `a name is taken once, also when two sign up at once`() throws {
        let begun = try (0..<8).map { _ in
            try gateway.enrollment.begin(EnrollmentRequest(collection: "badges", username: "lee"), in: nil)
        }
        let codes = race(8) { index in refusal { _ = try gateway.finishBadge(begun[index].ceremony, "\(index)") } }
        #expect(codes.count { $0 == nil } == 1)
        #expect(codes.count { $0 == .usernameTaken } == 7)
        #expect(
            refusal {
                _ = try gateway.enrollment.begin(EnrollmentRequest(collection: "badges", username: "LEE"), in: nil)
            } == .usernameTaken
        )
    }

    @Test func `of many responses to one registration exactly one is stored`() throws {
        for round in 0..<20 {
            let begun = try gateway.enrollment.begin(EnrollmentRequest(collection: "badges"), in: nil)
            let codes = race(50) { _ in refusal { _ = try gateway.finishBadge(begun.ceremony, "badge-\(round)") } }
            #expect(codes.count { $0 == nil } == 1)
            #expect(codes.compactMap(\.self).allSatisfy { $0 == .ceremonyConsumed || $0 == .ceremonyExhausted })
        }
    }

    @Test func `closed sign-up is closed, and signing in is not`() throws {
        let closed = try Gateway(isSignupOpen: false)
        #expect(
            refusal { _ = try closed.enrollment.begin(EnrollmentRequest(collection: "badges"), in: nil) }
                == .signupClosed
        )
        try closed.add("lee")
        try closed.enrollBadge("7", in: try closed.session(of: "lee"))
    }

    @Test func `a registration belongs to the session that began it`() throws {
        try gateway.add("lee")
        try gateway.add("kim")
        let lee = try gateway.session(of: "lee")
        let begun = try gateway.enrollment.begin(EnrollmentRequest(collection: "badges"), in: lee)
        let kim = try gateway.session(of: "kim")
        #expect(refusal { _ = try gateway.finishBadge(begun.ceremony, "7", in: kim) } == .ceremonyAccountMismatch)
        #expect(refusal { _ = try gateway.finishBadge(begun.ceremony, "7") } == .sessionRequired)
        #expect(try gateway.finishBadge(begun.ceremony, "7", in: lee).account.username == "lee")
    }

    @Test func `a sign-in ceremony registers nothing, and a registration signs nobody in`() throws {
        try gateway.add("lee")
        let lee = try gateway.session(of: "lee")
        #expect(refusal { _ = try gateway.finishBadge(try gateway.begin(), "7", in: lee) } == .ceremonyKindMismatch)
        let begun = try gateway.enrollment.begin(EnrollmentRequest(collection: "badges"), in: lee)
        #expect(refusal { _ = try gateway.complete(begun.ceremony, "lee") } == .ceremonyKindMismatch)
    }

    @Test func `a refused registration stores nothing and may be tried again`() throws {
        let begun = try gateway.enrollment.begin(EnrollmentRequest(collection: "badges", username: "lee"), in: nil)
        #expect(refusal { _ = try gateway.finishBadge(begun.ceremony, "bad") } == .signatureInvalid)
        #expect(refusal { _ = try gateway.accounts.find("lee") } == .notFound)
        _ = try gateway.finishBadge(begun.ceremony, "good")
    }

    @Test func `a credential is registered once, whoever has it`() throws {
        try gateway.add("lee")
        try gateway.add("kim")
        try gateway.enrollBadge("7", in: try gateway.session(of: "lee"))
        #expect(
            refusal { try gateway.enrollBadge("7", in: try gateway.session(of: "kim")) } == .credentialAlreadyRegistered
        )
    }

    @Test func `a stale session enrols nothing`() throws {
        try gateway.add("lee")
        let session = try gateway.session(of: "lee")
        let begun = try gateway.enrollment.begin(EnrollmentRequest(collection: "badges"), in: session)
        gateway.clock.advance(by: .minutes(4))
        gateway.clock.advance(by: .minutes(7))
        #expect(refusal { try gateway.enrollBadge("7", in: session) } == .freshSessionRequired)
        #expect(refusal { _ = try gateway.finishBadge(begun.ceremony, "7", in: session) } == .ceremonyExpired)
    }

    @Test func `an account has so many credentials of a kind and no more, also when they come at once`() throws {
        let lee = try gateway.add("lee")
        let session = try gateway.session(of: "lee")
        let begun = try (0..<30).map { _ in
            try gateway.enrollment.begin(EnrollmentRequest(collection: "badges"), in: session).ceremony
        }
        let codes = race(30) { index in refusal { _ = try gateway.finishBadge(begun[index], "\(index)", in: session) } }
        #expect(codes.count { $0 == nil } == 25)
        #expect(codes.count { $0 == .quotaExceeded } == 5)
        #expect(try gateway.held(by: lee).count == 26)
    }

    @Test func `nothing is enrolled by a session that ended meanwhile`() throws {
        let lee = try gateway.add("lee")
        let session = try gateway.session(of: "lee")
        let begun = try gateway.enrollment.begin(EnrollmentRequest(collection: "badges"), in: session)
        try gateway.accounts.setDisabled(true, lee.id)
        #expect(refusal { _ = try gateway.finishBadge(begun.ceremony, "7", in: session) } == .sessionRequired)
        #expect(try gateway.held(by: lee).count == 1)
    }

    @Test func `a sign-up takes no notice of a session that comes along, but for ending it`() throws {
        try gateway.add("lee")
        let session = try gateway.session(of: "lee")
        let begun = try gateway.enrollment.begin(EnrollmentRequest(collection: "badges", username: "kim"), in: nil)
        let result = try gateway.finishBadge(begun.ceremony, "7", in: session)
        #expect(result.account.username == "kim" && result.issued != nil)
        #expect(try gateway.sessions.sessions(of: session.account.id).isEmpty)
    }

    @Test func `a password plants no passkey that keeps its owner out, nor a second by the first`() throws {
        let lee = try gateway.add("lee")
        try gateway.enrollBadge("planted", in: try gateway.session(of: "lee"))
        let thief = try gateway.complete(try gateway.begin(), "lee", "planted", kind: .passkey)
        try gateway.enrollBadge(
            "planted too",
            in: CachedSession(session: thief.issued.session, account: thief.account)
        )
        let owner = try gateway.session(of: "lee")
        for credential in try gateway.held(by: lee) where credential.kind == .passkey {
            _ = try gateway.credentials.remove(credential.id, "badges", in: owner)
        }
        #expect(try gateway.held(by: lee).map(\.kind) == [.password])
    }

    @Test func `a passkey that has settled lets the next one settle at once`() throws {
        let lee = try gateway.add("lee")
        try gateway.enrollBadge("first", in: try gateway.session(of: "lee"))
        gateway.clock.advance(by: .hours(24))
        let strong = try gateway.complete(try gateway.begin(), "lee", "first", kind: .passkey)
        try gateway.enrollBadge("second", in: CachedSession(session: strong.issued.session, account: strong.account))
        #expect(try gateway.held(by: lee).allSatisfy { $0.settlesAt <= gateway.clock.now })
    }

    @Test func `conditional creation needs an automatic offer made to the same session`() throws {
        try gateway.add("lee")
        let session = try gateway.session(of: "lee")
        let wanted = { (offer: OfferID?) in
            EnrollmentRequest(collection: "badges", mediation: .conditional, offer: offer)
        }
        #expect(refusal { _ = try gateway.enrollment.begin(wanted(nil), in: session) } == .forbidden)
        #expect(refusal { _ = try gateway.enrollment.begin(wanted(.random()), in: session) } == .forbidden)
        let offers = [StoredOffer.Mode.prompt, .automatic].map { mode in
            StoredOffer(
                id: .random(),
                account: session.account.id,
                session: session.session.id,
                kind: .passkey,
                mode: mode,
                madeAt: gateway.clock.now
            )
        }
        for offer in offers { try gateway.storage.write { try $0.insert(offer) } }
        #expect(refusal { _ = try gateway.enrollment.begin(wanted(offers[0].id), in: session) } == .forbidden)
        let other = try gateway.session(of: "lee")
        #expect(refusal { _ = try gateway.enrollment.begin(wanted(offers[1].id), in: other) } == .forbidden)
        _ = try gateway.enrollment.begin(wanted(offers[1].id), in: session)
        try gateway.offers.answer(offers[1].id, with: .accepted, by: session.account.id)
        #expect(refusal { _ = try gateway.enrollment.begin(wanted(offers[1].id), in: session) } == .forbidden)
    }
}

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

struct LinkServiceTests {
    let gateway: Gateway

    init() throws { gateway = try Gateway() }

    @Test func `of twenty who set up at once, one becomes administrator, and set-up never opens again`() throws {
        let link = try #require(try gateway.links.issueSetup())
        let codes = race(20) { index in
            refusal {
                let profile = try AccountProfile(username: "admin\(index)", groups: ["admin"])
                _ = try gateway.links.redeemSetup(link, profile: profile, from: .test)
            }
        }
        #expect(codes.count { $0 == nil } == 1)
        #expect(codes.compactMap(\.self).allSatisfy { $0 == .ceremonyConsumed })
        #expect(try gateway.links.issueSetup() == nil)
        for account in try gateway.accounts.list(after: nil, limit: 100) { try gateway.accounts.delete(account.id) }
        #expect(try gateway.links.issueSetup() == nil)
    }

    @Test func `a recovery link works once, for its time, and only the latest`() throws {
        let lee = try gateway.add("lee")
        let first = try gateway.links.issueRecovery(for: lee.id)
        let second = try gateway.links.issueRecovery(for: lee.id)
        #expect(refusal { _ = try gateway.links.redeemRecovery(first, from: .test) } == .ceremonyUnknown)
        let opened = try gateway.links.redeemRecovery(second, from: .test)
        #expect(opened.issued.session.scope == .enrollment)
        #expect(refusal { _ = try gateway.links.redeemRecovery(second, from: .test) } == .ceremonyConsumed)
        let third = try gateway.links.issueRecovery(for: lee.id)
        gateway.clock.advance(by: LinkService.recoveryLifetime)
        #expect(refusal { _ = try gateway.links.redeemRecovery(third, from: .test) } == .ceremonyExpired)
    }

    @Test func `set-up is over once there is any account`() throws {
        let link = try #require(try gateway.links.issueSetup())
        try gateway.add("first")
        let profile = try AccountProfile(username: "late", groups: ["admin"])
        #expect(refusal { _ = try gateway.links.redeemSetup(link, profile: profile, from: .test) } == .ceremonyConsumed)
    }

    @Test func `recovery ends every session`() throws {
        let lee = try gateway.add("lee")
        let thief = try gateway.complete(try gateway.begin(), "lee")
        _ = try gateway.sessions.current(thief.issued.token)
        let opened = try gateway.links.redeemRecovery(try gateway.links.issueRecovery(for: lee.id), from: .test)
        #expect(try gateway.sessions.current(thief.issued.token) == nil)
        #expect(try gateway.sessions.current(opened.issued.token) != nil)
    }

    @Test func `a link that set a password is spent`() throws {
        let lee = try gateway.add("lee")
        let opened = try gateway.links.redeemRecovery(try gateway.links.issueRecovery(for: lee.id), from: .test)
        let session = try #require(try gateway.sessions.current(opened.issued.token))
        try gateway.credentials.setSecret(to: Secret("new"), checking: nil, in: session, from: .test)
        #expect(try gateway.sessions.current(opened.issued.token) == nil)
        _ = try gateway.complete(try gateway.begin(), "lee", "new")
    }

    @Test func `a recovery link can't set anybody up`() throws {
        let lee = try gateway.add("lee")
        let link = try gateway.links.issueRecovery(for: lee.id)
        let profile = try AccountProfile(username: "mallory")
        #expect(refusal { _ = try gateway.links.redeemSetup(link, profile: profile, from: .test) } == .ceremonyUnknown)
    }

    @Test func `who came by a link is in once a credential is enrolled`() throws {
        let lee = try gateway.add("lee")
        let opened = try gateway.links.redeemRecovery(try gateway.links.issueRecovery(for: lee.id), from: .test)
        let session = CachedSession(session: opened.issued.session, account: opened.account)
        let result = try gateway.enrollBadge("7", in: session)
        #expect(result.issued?.session.scope == .full)
        #expect(try gateway.sessions.find(opened.issued.token) == nil)
    }
}
