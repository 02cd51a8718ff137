import GatehouseCore
import Testing
import Wire

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

    @Test func `the compiled table says what the list says`() throws {
        var generator = SeededGenerator(seed: 7)
        let hosts = ["a.test", "b.test", "*.test", "*.a.test", "x.a.test"]
        let paths = ["/", "/a", "/a/**", "/*/b", "/**"]
        for _ in 0..<300 {
            let rules = try (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                try rule(
                    hosts.randomElement(using: &generator) ?? "a.test",
                    Bool.random(using: &generator) ? [] : [paths.randomElement(using: &generator) ?? "/"],
                    methods: Bool.random(using: &generator) ? [] : ["GET"],
                    [.anyone, .nobody, .require(Requirement())].randomElement(using: &generator) ?? .nobody
                )
            }
            for host in ["a.test", "b.test", "c.test", "x.a.test", "y.a.test", "test"] {
                for path in ["/", "/a", "/a/b", "/c/b", "/c"] {
                    for method in ["GET", "POST"] {
                        let parsed = try #require(RequestPath(path))
                        let naive = rules.first { rule in
                            rule.host.matches(host) && (rule.methods.isEmpty || rule.methods.contains(method))
                                && (rule.paths.isEmpty
                                    || rule.paths.contains {
                                        $0.matches(parsed, ignoringCase: rule.decision != .anyone)
                                    })
                        }
                        #expect(try decision(rules, method, "https://\(host)\(path)") == naive?.decision ?? .nobody)
                    }
                }
            }
        }
    }
}

/// The same numbers every time.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
