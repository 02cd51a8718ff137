import GatehouseKit
import Testing
import Wire

@testable import GatehouseCore

struct AccessRulesTests {
    private func decision(_ rules: [AccessRule], _ method: String, _ url: String, isPreflight: Bool = false) throws
        -> AccessRule.Decision
    {
        let url = try #require(WebURL(url))
        let path = try #require(RequestPath(url.target))
        return AccessRules(rules).decision(
            for: OriginalRequest(method: method, url: url, path: path, isPreflight: isPreflight)
        )
    }

    private func rule(
        _ host: String,
        _ paths: [String] = [],
        methods: [String] = [],
        _ decision: AccessRule.Decision = .anyone
    ) throws -> AccessRule {
        AccessRule(
            host: try #require(HostPattern(host)),
            paths: try paths.map { try #require(PathPattern($0)) },
            methods: methods,
            decision: decision
        )
    }

    @Test func `no match is no, and the first match decides`() throws {
        let rules = [
            try rule("app.test", ["/public/**"]), try rule("app.test", [], .require(Requirement())),
            try rule("*.test", [], .nobody),
        ]
        #expect(try decision(rules, "GET", "https://app.test/public/x") == .anyone)
        #expect(try decision(rules, "GET", "https://app.test/") == .require(Requirement()))
        #expect(try decision(rules, "GET", "https://other.test/") == .nobody)
        #expect(try decision(rules, "GET", "https://app.example/") == .nobody)
        #expect(try decision([], "GET", "https://app.test/") == .nobody)
    }

    @Test(arguments: ["https://APP.TEST/", "https://app.test./", "https://app.test:443/"])
    func `spellings of one host are one host`(url: String) throws {
        #expect(try decision([rule("app.test")], "GET", url) == .anyone)
    }

    @Test(arguments: [
        "https://evilexample.test/", "https://a.b.example.test/", "https://example.test/", "https://.example.test/",
    ])
    func `a wildcard stands for exactly one label`(url: String) throws {
        #expect(try decision([rule("*.example.test")], "GET", "https://a.example.test/") == .anyone)
        if WebURL(url) != nil { #expect(try decision([rule("*.example.test")], "GET", url) == .nobody) }
    }

    @Test(arguments: [
        ("/api/**", "/api", true), ("/api/**", "/api/", true), ("/api/**", "/api/x/y", true),
        ("/api/**", "/apix", false),
        ("/api/**", "/ap", false), ("/api/**", "/api-internal", false), ("/api", "/api/", true),
        ("/api", "/api/x", false),
        ("/*/edit", "/a/edit", true), ("/*/edit", "/a/b/edit", false), ("/*/edit", "/edit", false), ("/**", "/", true),
        ("/", "/", true), ("/", "/x", false), ("/api/**", "/API/x", false), ("/a b", "/a%20b", true),
    ])
    func `a path pattern ends at a segment's boundary`(pattern: String, path: String, matches: Bool) throws {
        #expect(try #require(PathPattern(pattern)).matches(#require(RequestPath(path))) == matches)
    }

    @Test(arguments: ["api", "/**/x", "/a*", "/a**", "/../x", ""])
    func `what a pattern can't mean is refused`(text: String) {
        #expect(PathPattern(text) == nil)
    }

    @Test func `a rule that closes a path closes it in every case, and one that opens it in its own alone`() throws {
        let closing = [try rule("app.test", ["/admin/**"], .nobody), try rule("app.test")]
        for path in ["/admin", "/ADMIN/x", "/%41dmin", "/Admin/"] {
            #expect(try decision(closing, "GET", "https://app.test\(path)") == .nobody)
        }
        #expect(try decision(closing, "GET", "https://app.test/administrator") == .anyone)
        let opening = [try rule("app.test", ["/public/**"]), try rule("app.test", [], .require(Requirement()))]
        #expect(try decision(opening, "GET", "https://app.test/public/x") == .anyone)
        #expect(try decision(opening, "GET", "https://app.test/PUBLIC/x") == .require(Requirement()))
    }

    @Test func `a rule for preflights lets through preflights, and nothing else`() throws {
        let rules = [try rule("api.test", methods: ["OPTIONS"]), try rule("api.test", [], .require(Requirement()))]
        #expect(try decision(rules, "OPTIONS", "https://api.test/", isPreflight: true) == .anyone)
        #expect(try decision(rules, "OPTIONS", "https://api.test/") == .require(Requirement()))
        #expect(try decision(rules, "GET", "https://api.test/") == .require(Requirement()))
    }

    // MARK: Networks and queries

    private func ruling(_ rules: [AccessRule], _ url: String, from address: String?) throws -> AccessRules.Ruling {
        AccessRules(rules).ruling(
            on: try #require(OriginalRequest(asking: url, method: "GET", address: address.flatMap { IPAddress($0) }))
        )
    }

    @Test func `where a rule turns on networks, a request from nowhere is let in by nobody`() throws {
        let lan = AccessRule(
            host: try #require(HostPattern("app.test")),
            networks: [try #require(IPNetwork("10.0.0.0/8"))],
            decision: .anyone
        )
        let rules = [lan, try rule("app.test", [], .require(Requirement()))]
        #expect(try ruling(rules, "https://app.test/", from: "10.1.2.3").decision == .anyone)
        #expect(try ruling(rules, "https://app.test/", from: "192.0.2.1").decision == .require(Requirement()))
        let unknown = try ruling(rules, "https://app.test/", from: nil)
        #expect(unknown.decision == .nobody && unknown.lacksAddress && unknown.index == 0)
        #expect(try ruling([rules[1], lan], "https://app.test/", from: nil).decision == .require(Requirement()))
    }

    @Test(arguments: [
        ("view=1", true), ("a=2&view=1", true), ("view=2", false), ("view=1&view=2", false), ("VIEW=1", false),
        ("view=%31", true), ("view=%zz", false), ("", false), ("view", false), ("a=view=1", false),
    ])
    func `a rule that opens a query means what every server reads`(query: String, isOpen: Bool) throws {
        let open = AccessRule(
            host: try #require(HostPattern("app.test")),
            query: [QueryPattern(name: "view", value: "1")],
            decision: .anyone
        )
        #expect(try ruling([open], "https://app.test/?\(query)", from: nil).decision == (isOpen ? .anyone : .nobody))
    }

    @Test(arguments: [
        ("admin=1", true), ("admin=2&admin=1", true), ("ADMIN=1", true), ("x=%zz", true), ("admin=2", false),
        ("", false),
    ])
    func `a rule that closes a query means what any server might read`(query: String, isClosed: Bool) throws {
        let closed = AccessRule(
            host: try #require(HostPattern("app.test")),
            query: [QueryPattern(name: "admin", value: "1")],
            decision: .nobody
        )
        let rules = [closed, try rule("app.test")]
        #expect(try ruling(rules, "https://app.test/?\(query)", from: nil).decision == (isClosed ? .nobody : .anyone))
    }

    // MARK: Rules that never decide

    private func covers(_ first: AccessRule, _ second: AccessRule) -> Bool {
        AccessRules([first, second]).unreachable.contains { $0.index == 1 && $0.cover == 0 }
    }

    @Test func `what an earlier rule always decides is unreachable, and what it may leave is not`() throws {
        #expect(covers(try rule("app.test"), try rule("app.test", [], .nobody)))
        #expect(covers(try rule("*.test"), try rule("app.test")))
        #expect(!covers(try rule("app.test"), try rule("*.test")))
        #expect(covers(try rule("app.test", ["/a/**"]), try rule("app.test", ["/a/b", "/a"])))
        #expect(!covers(try rule("app.test", ["/a/*"]), try rule("app.test", ["/a/**"])))
        #expect(!covers(try rule("app.test", methods: ["GET"]), try rule("app.test")))
        #expect(
            !covers(try rule("app.test", methods: ["OPTIONS"]), try rule("app.test", methods: ["OPTIONS"], .nobody))
        )
    }

    @Test func `letter by letter is less than in any case`() throws {
        #expect(!covers(try rule("app.test", ["/a"]), try rule("app.test", ["/a"], .nobody)))
        #expect(covers(try rule("app.test", ["/A"], .nobody), try rule("app.test", ["/a"])))
    }

    @Test func `other rules hold for what is asked from then on, and not for what was asked before`() throws {
        let check = AccessCheck(rules: AccessRules([try rule("app.test")]), policy: SessionPolicy())
        let request = try #require(OriginalRequest(asking: "https://app.test/", method: "GET"))
        let now = Timestamp(milliseconds: 0)
        let before = check.question(request)
        check.replaceRules(with: AccessRules([try rule("app.test", [], .require(Requirement(machines: [.basic])))]))
        let after = check.question(request)
        #expect(check.verdict(on: before, session: nil, now: now) == .allow && before.machines.isEmpty)
        #expect(check.verdict(on: after, session: nil, now: now) == .signIn && after.machines == [.basic])
    }

    @Test func `nobody looks for an address that no rule turns on`() throws {
        let near = AccessRule(
            host: try #require(HostPattern("app.test")),
            networks: [try #require(IPNetwork("10.0.0.0/8"))],
            decision: .anyone
        )
        let request = try #require(OriginalRequest(asking: "https://app.test/", method: "GET"))
        for (rule, count) in [(near, 1), (try rule("app.test"), 0)] {
            var looks = 0
            let question = AccessCheck(rules: AccessRules([rule]), policy: SessionPolicy()).question(request) {
                looks += 1
                return IPAddress("10.1.2.3")
            }
            #expect(looks == count && question.decision == .anyone)
        }
    }

    @Test func `an explanation names the rule and what keeps the others from it`() throws {
        let rules = [
            try rule("other.test"), try rule("app.test", ["/public/**"]),
            try rule("app.test", [], .require(Requirement())),
            try rule("app.test"),
        ]
        let check = AccessCheck(rules: AccessRules(rules), policy: SessionPolicy())
        let request = try #require(OriginalRequest(asking: "https://APP.test//x/", method: "GET"))
        let explained = check.explanation(of: request, for: nil, with: [], now: Timestamp(milliseconds: 0))
        #expect(explained.rules.map(\.differs) == ["host", "path", nil] && explained.rule == 3)
        #expect(explained.path == "/x" && explained.decision == "require")
    }
}
