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
