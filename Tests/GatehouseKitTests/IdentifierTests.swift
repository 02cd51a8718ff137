import GatehouseKit
import Testing

struct IdentifierTests {
    @Test(arguments: ["Admin", "ADMIN", "ａｄｍｉｎ", "admin"])
    func `case and width make no difference`(text: String) {
        #expect(Identifier(text)?.description == "admin")
    }

    @Test(arguments: [
        "ad\u{200B}min", "\u{FEFF}admin", "admin\u{2060}", "ad\u{AD}min", "ad\u{202E}min", "admin\u{3164}",
        "admin\u{FE0F}", "ad min", "admin\u{0}", "admin\n", "", "\u{FB01}sh", "admin\u{1F600}",
        String(repeating: "a", count: 255),
    ])
    func `what can't be seen or told apart is no name`(text: String) {
        #expect(Identifier(text) == nil)
    }

    @Test func `folding does not depend on a locale`() {
        #expect(Identifier("ALİCE@example.test") != Identifier("alice@example.test"))
        #expect(Identifier("ALICE@EXAMPLE.TEST") == Identifier("alice@example.test"))
    }

    @Test func `what can't be a name is looked up as a name that nobody has`() {
        let claimed = Identifier.claimed("ad min")
        #expect(Identifier(claimed.description) == nil)
        #expect(claimed == Identifier.claimed("ad min"))
        #expect(claimed != Identifier.claimed("ad  min"))
        #expect(Identifier.claimed("Admin") == Identifier("admin"))
    }

    @Test func `composed and decomposed letters are one name`() {
        #expect(Identifier("Ame\u{301}lie") == Identifier("am\u{E9}lie"))
    }
}
