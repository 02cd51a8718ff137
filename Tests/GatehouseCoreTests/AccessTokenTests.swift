import GatehouseKit
import GatehouseTesting
import Testing
import Wire

@testable import GatehouseCore

struct AccessTokenTests {
    private static let host = "api.test"

    private let gateway: Gateway
    private let tokens: AccessTokenService
    private let check: AccessCheck

    init() throws {
        gateway = try Gateway()
        let machines = Requirement(machines: [.accessToken])
        let rules = AccessRules([
            AccessRule(host: try #require(HostPattern(Self.host)), decision: .require(machines)),
            AccessRule(host: try #require(HostPattern("app.test")), decision: .require(Requirement())),
        ])
        check = AccessCheck(rules: rules, policy: gateway.policy)
        tokens = gateway.tokens(check)
    }

    private func scope(paths: [String] = [], methods: [String] = []) throws -> AccessScope {
        let host = try #require(HostPattern(Self.host))
        return try #require(AccessScope(hosts: [host], paths: paths.compactMap(PathPattern.init), methods: methods))
    }

    private func make(_ scope: AccessScope? = nil, in session: CachedSession) throws -> (AccessToken, StoredAccessToken)
    {
        try tokens.make("ci", for: scope ?? self.scope(), lasting: .hours(1), in: session, from: .app)
    }

    private func verdict(_ token: AccessToken, _ url: String = "https://api.test/x", _ method: String = "GET") throws
        -> Verdict?
    {
        let question = check.question(try .asking(url, method))
        return try tokens.find(token).map { check.verdict(on: question, machine: $0, now: gateway.clock.now) }
    }

    @Test func `a token has a checksum, and is stored as a digest alone`() throws {
        try gateway.add("lee")
        let (token, stored) = try make(in: gateway.session(of: "lee"))
        #expect(AccessToken(untrusted: token.text) != nil)
        for place in token.text.indices {
            var turned = token.text
            turned.replaceSubrange(place...place, with: token.text[place] == "x" ? "y" : "x")
            #expect(AccessToken(untrusted: turned) == nil)
        }
        #expect(SessionToken(untrusted: token.text) == nil)
        #expect(try tokens.list(of: stored.account) == [stored])
    }

    @Test func `random digits are each as likely`() {
        var counts: [Character: Int] = [:]
        for _ in 0..<2_000 {
            for digit in AccessToken.random().text.dropFirst(7).prefix(32) { counts[digit, default: 0] += 1 }
        }
        // 64 000 digits of 62 kinds: 1 032 of each, give or take 32; six times that has odds of one in a billion.
        #expect(counts.count == 62 && counts.values.allSatisfy { (840...1_225).contains($0) })
    }

    @Test func `CRC-32 is that of ISO 3309`() {
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum([UInt8]()) == 0)
    }

    @Test func `scope and rule both have to allow a request`() throws {
        try gateway.add("lee")
        let (token, _) = try make(scope(paths: ["/x/**"], methods: ["GET"]), in: gateway.session(of: "lee"))
        #expect(try verdict(token) == .allow)
        #expect(try verdict(token, "https://api.test/X") == .forbid)
        #expect(try verdict(token, "https://api.test/x", "POST") == .forbid)
        #expect(try verdict(token, "https://app.test/x") == .signIn)
        #expect(try verdict(token, "https://other.test/x") == .forbid)
    }

    @Test func `its end is looked at each time`() throws {
        try gateway.add("lee")
        let (token, _) = try make(in: gateway.session(of: "lee"))
        #expect(try verdict(token) == .allow)
        gateway.clock.advance(by: .hours(1))
        #expect(try verdict(token) == .signIn)
    }

    @Test func `an account that is disabled has none that works`() throws {
        let lee = try gateway.add("lee")
        let (token, _) = try make(in: gateway.session(of: "lee"))
        try gateway.accounts.setDisabled(true, lee.id)
        #expect(try tokens.find(token) == nil)
        try gateway.accounts.setDisabled(false, lee.id)
        #expect(try verdict(token) == .allow)
        try gateway.accounts.delete(lee.id)
        gateway.sessions.cache.removeAll()
        #expect(try tokens.find(token) == nil)
    }

    @Test func `one that is revoked while it is read stays revoked`() throws {
        try gateway.add("lee")
        let session = try gateway.session(of: "lee")
        let (token, stored) = try make(in: session)
        let cache = gateway.sessions.cache.accessTokens
        let generation = cache.generation(of: token.digest)
        let read = try #require(try tokens.find(token))
        try tokens.revoke(stored.id, in: session, from: .app)
        cache.insert(read, for: token.digest, ifStill: generation)
        #expect(try tokens.find(token) == nil)
    }

    @Test func `the time of last use is written once a minute`() throws {
        let lee = try gateway.add("lee")
        let (token, _) = try make(in: gateway.session(of: "lee"))
        let machine = try #require(try tokens.find(token))
        let first = gateway.clock.now
        tokens.noteUse(of: machine, at: first)
        gateway.clock.advance(by: .seconds(59))
        tokens.noteUse(of: machine, at: gateway.clock.now)
        try tokens.flush()
        #expect(try tokens.list(of: lee.id).map(\.lastUsedAt) == [first])
        gateway.clock.advance(by: .seconds(1))
        tokens.noteUse(of: machine, at: gateway.clock.now)
        try tokens.flush()
        #expect(try tokens.list(of: lee.id).map(\.lastUsedAt) == [gateway.clock.now])
    }

    @Test func `a session that is not fresh, or may only enrol, makes none`() throws {
        try gateway.add("lee")
        let session = try gateway.session(of: "lee")
        gateway.clock.advance(by: .minutes(11))
        #expect(refusal { _ = try make(in: session) } == .freshSessionRequired)
        let link = try gateway.links.issueRecovery(for: session.account.id)
        let restricted = try gateway.links.redeemRecovery(link, from: .test)
        let enrolling = CachedSession(session: restricted.issued.session, account: restricted.account)
        #expect(refusal { _ = try make(in: enrolling) } == .stepUpRequired)
    }
}

/// What a rule takes from machines, by the policy alone.
struct MachinePolicyTests {
    private let account: Account

    init() throws { account = try Account.named("lee") }

    private func verdict(
        _ kind: CredentialKind,
        _ requirement: Requirement,
        _ policy: SessionPolicy = SessionPolicy()
    ) throws -> Verdict {
        let now = Timestamp(milliseconds: 0)
        let machine = MachineCaller(kind: kind, account: account, expiresAt: now + .hours(1))
        return policy.evaluate(machine, on: try .asking("https://a.test/"), requirement: requirement, now: now)
    }

    @Test(arguments: [CredentialKind.accessToken, .basic])
    func `a rule that doesn't name a kind doesn't take it`(kind: CredentialKind) throws {
        let other: CredentialKind = kind == .basic ? .accessToken : .basic
        #expect(try verdict(kind, Requirement(machines: [kind])) == .allow)
        #expect(try verdict(kind, Requirement()) == .signIn)
        #expect(try verdict(kind, Requirement(machines: [other])) == .signIn)
    }

    @Test(arguments: [CredentialKind.accessToken, .basic])
    func `groups hold for machines as well`(kind: CredentialKind) throws {
        #expect(try verdict(kind, Requirement(groups: ["admin"], machines: [kind])) == .allow)
        #expect(try verdict(kind, Requirement(groups: ["root"], machines: [kind])) == .forbid)
    }

    @Test(arguments: [
        Requirement(assurance: .aal2, machines: [.accessToken, .basic]),
        Requirement(kinds: [.passkey], machines: [.accessToken, .basic]),
        Requirement(kinds: [.password], machines: [.accessToken, .basic]),
        Requirement(authenticatedWithin: .minutes(1), machines: [.accessToken, .basic]),
    ])
    func `a password in a header is one factor, whatever names it`(requirement: Requirement) throws {
        #expect(try verdict(.basic, requirement) == .stepUp(requirement.stepUp))
        #expect(try verdict(.accessToken, requirement) == .allow)
    }

    @Test func `a password in a header is nothing where policy asks for two factors`() throws {
        let requirement = Requirement(machines: [.accessToken, .basic])
        let others = SessionPolicy(minimum: MinimumAssurance(byGroup: ["root": .aal2]))
        let theirs = SessionPolicy(minimum: MinimumAssurance(byGroup: [account.groups[0]: .aal2]))
        #expect(try verdict(.basic, requirement, others) == .allow)
        #expect(try verdict(.basic, requirement, theirs) == .signIn)
        #expect(try verdict(.accessToken, requirement, theirs) == .allow)
    }
}

extension OriginalRequest {
    static func asking(_ url: String, _ method: String = "GET") throws -> OriginalRequest {
        let url = try #require(WebURL(url))
        let path = try #require(RequestPath(url.target))
        return OriginalRequest(method: method, url: url, path: path, isPreflight: false)
    }
}
