import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Storage
import Testing

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
