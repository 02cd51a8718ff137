import Testing
import Wire

struct JSONMembersTests {
    @Test func `strings, booleans and null are told apart, and the rest is not looked into`() throws {
        let members = try JSONMembers(
            parsing: Array(
                #" {"a":"x","b":true,"c":false,"d":null,"e":-1.5e+3,"f":[{}],"g":{"a":[1,{"b":"}"}]}} "#.utf8
            )
        )
        #expect(members["a"] == .string("x") && members["b"] == .bool(true) && members["c"] == .bool(false))
        #expect(members["d"] == .null && members["e"] == .other && members["f"] == .other)
        #expect(members["g"] == .other && members["h"] == nil)
    }

    @Test(arguments: [
        (#"{"a":"\"\\\/\b\f\n\r\t"}"#, "\"\\/\u{8}\u{C}\n\r\t"), (#"{"a":"\u0041\u00e9"}"#, "Aé"),
        (#"{"a":"\ud83d\udd11"}"#, "🔑"), (#"{"\u0061":"x"}"#, "x"), (#"{"a":"\ud83d"}"#, "\u{FFFD}"),
        (#"{"a":"\udd11x"}"#, "\u{FFFD}x"), (#"{"a":"\ud83d\u0041"}"#, "\u{FFFD}A"), (#"{"a":"🔑"}"#, "🔑"),
    ])
    func `escapes are undone`(json: String, text: String) throws {
        #expect(try JSONMembers(parsing: Array(json.utf8))["a"] == .string(text))
    }

    @Test(arguments: [
        "", " ", "null", "42", "[]", #""{}""#, "{", "}", "{}x", "{}{}", "{}\0", "\0{}", "{,}", #"{"a"}"#, #"{"a":}"#,
        #"{"a":1,}"#, #"{"a":1 "b":2}"#, #"{a:1}"#, "{'a':1}", #"{"a":01}"#, #"{"a":1.}"#, #"{"a":.5}"#, #"{"a":+1}"#,
        #"{"a":1e}"#, #"{"a":-}"#, #"{"a":NaN}"#, #"{"a":tru}"#, #"{"a":True}"#, #"{"a":"\x"}"#, #"{"a":"\u12"}"#,
        "{\"a\":\"\n\"}", #"{"a":"b}"#, #"{"a":[1,]}"#, #"{"a":[1 2]}"#, #"{"a":[}"#, #"{"a":{]}"#, #"{"a":{1:2}}"#,
        #"{"a":1/* x */}"#, "\u{FEFF}{}",
    ])
    func `anything else than one object is refused`(json: String) {
        #expect(throws: WireFault.self) { try JSONMembers(parsing: Array(json.utf8)) }
    }

    @Test(arguments: [#"{"a":1,"a":1}"#, #"{"a":1,"b":2,"\u0061":3}"#])
    func `a name that occurs twice is refused, however it is spelt`(json: String) {
        #expect(throws: WireFault.self) { try JSONMembers(parsing: Array(json.utf8)) }
    }

    @Test func `bytes that are not UTF-8 are refused, even where nobody looks`() {
        #expect(throws: WireFault(.notUTF8, at: 0)) {
            try JSONMembers(parsing: Array(#"{"a":[""#.utf8) + [0xFF] + Array(#""]}"#.utf8))
        }
    }

    @Test(arguments: ["[", #"{"a":"#])
    func `two hundred thousand levels are refused`(level: String) {
        let json = #"{"x":"# + String(repeating: level, count: 200_000)
        #expect(throws: WireFault.self) { try JSONMembers(parsing: Array(json.utf8)) }
    }

    @Test func `sixty-four members are read and one more is refused`() throws {
        func object(_ count: Int) -> [UInt8] {
            Array("{\((0..<count).map { "\"k\($0)\":0" }.joined(separator: ","))}".utf8)
        }
        #expect(try JSONMembers(parsing: object(64))["k63"] == .integer(0))
        #expect(throws: WireFault.self) { try JSONMembers(parsing: object(65)) }
    }

    @Test func `every prefix of an object is refused`() {
        let whole = Array(#"{"type":"webauthn.get","x":[1,{"y":"\u00e9"}],"z":-1e5,"crossOrigin":false}"#.utf8)
        for length in whole.indices {
            #expect(throws: WireFault.self) { try JSONMembers(parsing: Array(whole.prefix(length))) }
        }
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("-7", -7), ("9223372036854775807", Int64.max), ("-9223372036854775808", .min),
        ("9223372036854775808", nil), ("1e3", nil), ("1.0", nil), ("1000000000000000000000", nil),
    ])
    func `a number in digits alone is an integer, if there is room for it`(text: String, value: Int64?) throws {
        let members = try JSONMembers(parsing: Array("{\"a\":\(text)}".utf8))
        #expect(members["a"] == value.map(JSONMembers.Value.integer) ?? .other)
    }

    @Test(arguments: [
        ("[]", []), (#"["a"]"#, ["a"]), (#"[ "a" , "b" ]"#, ["a", "b"]), (#"["a",1]"#, nil), (#"[1,"a"]"#, nil),
        (#"[["a"]]"#, nil), ("[null]", nil),
    ])
    func `an array of nothing but strings is a list of them`(text: String, strings: [String]?) throws {
        let members = try JSONMembers(parsing: Array("{\"a\":\(text)}".utf8))
        #expect(members["a"] == strings.map(JSONMembers.Value.strings) ?? .other)
    }

    @Test func `half a surrogate pair is refused where different strings must stay different`() throws {
        let half = Array(#"{"a":"\ud83d"}"#.utf8)
        #expect(throws: WireFault.self) { try JSONMembers(parsing: half, takesUnpairedSurrogates: false) }
        let whole = try JSONMembers(parsing: Array(#"{"a":"\ud83d\udd11"}"#.utf8), takesUnpairedSurrogates: false)
        #expect(whole["a"] == .string("🔑"))
    }
}
