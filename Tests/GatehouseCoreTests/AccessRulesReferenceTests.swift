import GatehouseTesting
import Testing
import Wire

@testable import GatehouseCore

/// The compiled matcher beside one that is too simple to be wrong: it goes through the rules as text, letter by letter.
struct AccessRulesReferenceTests {
    @Test(arguments: 0..<40) func `compiled rules decide as the plain reading does`(seed: UInt64) throws {
        var random = Mutator(seed: seed)
        let written = (0..<Int.random(in: 1...12, using: &random)).map { _ in WrittenRule.random(&random) }
        let rules = AccessRules(try written.map { try $0.rule() })
        for _ in 0..<250 {
            let request = WrittenRequest.random(&random)
            let expected = written.firstIndex { $0.matches(request) }
            let unknown = written.firstIndex { $0.matchesButForAddress(request) }
            let ruling = rules.ruling(on: try request.request())
            // Whichever comes first: a rule that matches, or one that can't be told without the address.
            let first = [expected, unknown].compactMap(\.self).min()
            #expect(ruling.index == first, "\(written) \(request)")
            #expect(ruling.lacksAddress == (first != expected), "\(written) \(request)")
            let decision = ruling.lacksAddress ? .nobody : first.map { written[$0].decision } ?? .nobody
            #expect(ruling.decision == decision, "\(written) \(request)")
        }
    }

    @Test(arguments: 0..<40) func `a rule that is called unreachable never decides`(seed: UInt64) throws {
        var random = Mutator(seed: seed &+ 1_000)
        let written = (0..<8).map { _ in WrittenRule.random(&random) }
        let rules = AccessRules(try written.map { try $0.rule() })
        let unreachable = Set(rules.unreachable.map(\.index))
        for _ in 0..<500 {
            let request = WrittenRequest.random(&random)
            guard let index = rules.ruling(on: try request.request()).index else { continue }
            #expect(!unreachable.contains(index), "\(written) \(request)")
        }
    }
}

/// A request in plain text.
private struct WrittenRequest: CustomStringConvertible {
    let method: String
    let host: String
    let path: [String]
    let query: [(String, String)]
    let address: String?
    let isPreflight: Bool

    static func random(_ random: inout Mutator) -> WrittenRequest {
        let names = ["a", "b", "A", "c"]
        return WrittenRequest(
            method: ["GET", "POST", "OPTIONS"].randomElement(using: &random) ?? "GET",
            host: ["one.test", "two.test", "x.one.test", "y.x.one.test"].randomElement(using: &random) ?? "one.test",
            path: (0..<Int.random(in: 0...3, using: &random)).map { _ in names.randomElement(using: &random) ?? "a" },
            query: (0..<Int.random(in: 0...2, using: &random)).map { _ in
                (
                    ["p", "q", "P"].randomElement(using: &random) ?? "p",
                    ["1", "2"].randomElement(using: &random) ?? "1"
                )
            },
            address: [nil, "10.1.0.1", "10.2.0.1", "192.0.2.1", "2001:db8::1"].randomElement(using: &random) ?? nil,
            isPreflight: Bool.random(using: &random)
        )
    }

    func request() throws -> OriginalRequest {
        try #require(
            OriginalRequest(
                asking: description,
                method: method,
                isPreflight: isPreflight,
                address: address.flatMap { IPAddress($0) }
            )
        )
    }

    var description: String {
        let fields = query.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        return "https://\(host)/\(path.joined(separator: "/"))" + (fields.isEmpty ? "" : "?\(fields)")
    }
}

/// A rule in plain text, matched by reading it.
private struct WrittenRule: CustomStringConvertible {
    let host: String
    let paths: [String]
    let methods: [String]
    let networks: [String]
    let query: [(String, String?)]
    let decision: AccessRule.Decision

    static func random(_ random: inout Mutator) -> WrittenRule {
        let hosts = ["one.test", "two.test", "*.test", "*.one.test"]
        let paths = ["/a", "/A", "/a/b", "/*", "/*/b", "/a/**", "/**", "/b/*/**", "/"]
        let networks = ["10.1.0.0/16", "10.0.0.0/8", "2001:db8::/32"]
        func some<T>(_ all: [T], _ random: inout Mutator) -> [T] {
            Bool.random(using: &random) ? [] : all.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        }
        let decisions = [AccessRule.Decision.anyone, .nobody, .require(Requirement())]
        return WrittenRule(
            host: hosts.randomElement(using: &random) ?? "one.test",
            paths: some(paths, &random),
            methods: some(["GET", "POST", "OPTIONS"], &random),
            networks: Int.random(in: 0..<4, using: &random) == 0 ? some(networks, &random) : [],
            query: Int.random(in: 0..<4, using: &random) == 0 ? some([("p", "1"), ("q", nil)], &random) : [],
            decision: decisions.randomElement(using: &random) ?? .nobody
        )
    }

    func rule() throws -> AccessRule {
        AccessRule(
            host: try #require(HostPattern(host)),
            paths: try paths.map { try #require(PathPattern($0)) },
            methods: methods,
            networks: try networks.map { try #require(IPNetwork($0)) },
            query: query.map { QueryPattern(name: $0.0, value: $0.1) },
            decision: decision
        )
    }

    var description: String { "\(host) \(paths) \(methods) \(networks) \(query) \(decision)" }

    private var opens: Bool { decision == .anyone }

    func matches(_ request: WrittenRequest) -> Bool {
        guard matchesAllElse(request) else { return false }
        guard !networks.isEmpty else { return true }
        guard let address = request.address else { return false }
        return networks.contains { network in
            switch network {
            case "10.1.0.0/16": address.hasPrefix("10.1.")
            case "10.0.0.0/8": address.hasPrefix("10.")
            default: address.hasPrefix("2001:db8:")
            }
        }
    }

    func matchesButForAddress(_ request: WrittenRequest) -> Bool {
        !networks.isEmpty && request.address == nil && matchesAllElse(request)
    }

    private func matchesAllElse(_ request: WrittenRequest) -> Bool {
        matchesHost(request.host) && (methods.isEmpty || methods.contains(request.method))
            && (paths.isEmpty || paths.contains { matches($0, request.path) })
            && (!(opens && methods == ["OPTIONS"]) || request.isPreflight && request.method == "OPTIONS")
            && query.allSatisfy { matches($0, request.query) }
    }

    private func matchesHost(_ name: String) -> Bool {
        guard host.hasPrefix("*.") else { return host == name }
        let labels = name.split(separator: ".")
        return labels.count > 1 && labels.dropFirst().joined(separator: ".") == host.dropFirst(2)
    }

    private func matches(_ pattern: String, _ path: [String]) -> Bool {
        var wanted = pattern.split(separator: "/").map(String.init)
        let isOpen = wanted.last == "**"
        if isOpen { wanted.removeLast() }
        guard isOpen ? path.count >= wanted.count : path.count == wanted.count else { return false }
        for (one, other) in zip(wanted, path) where one != "*" {
            if opens ? one != other : one.lowercased() != other.lowercased() { return false }
        }
        return true
    }

    private func matches(_ wanted: (String, String?), _ query: [(String, String)]) -> Bool {
        let values = query.filter { opens ? $0.0 == wanted.0 : $0.0.lowercased() == wanted.0.lowercased() }.map(\.1)
        guard let value = wanted.1 else { return !values.isEmpty }
        return opens ? values == [value] : values.contains(value)
    }
}
