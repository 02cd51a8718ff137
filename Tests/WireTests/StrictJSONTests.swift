import Testing
import Wire

struct StrictJSONTests {
    @Test(arguments: [
        "{}", " [1, -0.5e+3, true, false, null, \"\"] \n", #"{"a":{"b":["\u00e9\ud83d\ude00\n"]},"c":0}"#, "\"x\"",
        "12",
    ])
    func `one value with white space around it passes`(text: String) throws {
        try StrictJSON.check(Array(text.utf8))
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "01", "1.", "+1", "1e", "tru", "nul", "'a'", "[1 2]", "\"\\x\"",
        "\"\t\"", "\"\\u12g4\"", "{}{}", "{}\u{0}", "{} x", "NaN", "\u{FEFF}{}", "{\"a\"}", "{1:2}", "\"",
    ])
    func `anything else is refused`(text: String) {
        #expect(throws: WireFault.self) { try StrictJSON.check(Array(text.utf8)) }
    }

    @Test(arguments: [#"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"x":{"b":1,"c":2,"b":1}}"#])
    func `a key may stand once, however it is spelt`(text: String) {
        #expect { try StrictJSON.check(Array(text.utf8)) } throws: { ($0 as? WireFault)?.reason == .duplicateKey }
    }

    @Test(arguments: [#""\ud800""#, #""\udc00\ud800""#, #""\ud800x""#, #""\ud800A""#])
    func `half of a surrogate pair is refused`(text: String) {
        #expect(throws: WireFault.self) { try StrictJSON.check(Array(text.utf8)) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: WireFault(.notUTF8, at: 0)) { try StrictJSON.check([0x22, 0xC0, 0xAE, 0x22]) }
    }

    @Test func `nesting ends at the limit, and far below what a stack holds`() throws {
        let nested = { (count: Int) in
            Array((String(repeating: "[", count: count) + String(repeating: "]", count: count)).utf8)
        }
        try StrictJSON.check(nested(16))
        #expect(throws: WireFault(.tooDeep, at: 16)) { try StrictJSON.check(nested(17)) }
        #expect(throws: WireFault(.tooDeep, at: 16)) {
            try StrictJSON.check([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000))
        }
    }
}
