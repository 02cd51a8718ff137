import Testing

@testable import gatehouse

/// What the fuzzers found, each with the answer that it gets since.
@Suite struct `What the fuzzers found` {
    @Test func `keys that are mappings of such keys are nested too deeply, and don't use up the stack`() {
        let text = [UInt8](repeating: UInt8(ascii: "?"), count: 20_000).flatMap { [$0, UInt8(ascii: " ")] }
        #expect(problems(in: text) == ["fuzz.yaml:1: nested too deeply"])
    }

    @Test func `a key that is a mapping is no text`() {
        #expect(problems(in: Array("{{a: b}: c}".utf8)) == ["fuzz.yaml:1: a key must be text"])
    }

    @Test(arguments: ["[", "{a: {", "- ", "a: [{"])
    func `nesting is refused before a tree is made of it`(unit: String) {
        let text = String(repeating: unit, count: 65_536 / unit.utf8.count)
        #expect(problems(in: Array(text.utf8)) == ["fuzz.yaml:1: nested too deeply"])
    }

    @Test func `nesting as deep as is allowed is read`() {
        let lists = String(repeating: "[", count: 14) + String(repeating: "]", count: 14)
        #expect(problems(in: Array("nonsense: \(lists)".utf8)) == ["fuzz.yaml:1: nonsense: unknown key"])
    }

    @Test func `a misspelt key is told from what was meant, and a long one is compared with nothing`() {
        #expect(
            problems(in: Array("lisen: {}".utf8)) == ["fuzz.yaml:1: lisen: unknown key; did you mean listen?"]
        )
        let long = String(repeating: "k", count: 100)
        #expect(problems(in: Array("\(long): 1".utf8)) == ["fuzz.yaml:1: \(long): unknown key"])
    }

    @Test(arguments: [
        ("login.department.example.co.uk", "example.co.uk"), ("auth.example.org", "example.org"), ("co.uk", nil),
        ("localhost", nil),
    ])
    func `a registrable domain is a copy, and no part of a name that is gone`(host: String, domain: String?) {
        #expect(PublicSuffix.registrableDomain(of: host) == domain)
    }

    private func problems(in text: [UInt8]) -> [String] {
        do throws(ConfigurationError) {
            _ = try ConfigurationReader.read(text: text, of: "fuzz.yaml", environment: [:])
            return []
        } catch {
            return error.lines
        }
    }
}
