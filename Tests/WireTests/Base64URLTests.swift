import Testing
import Wire

struct Base64URLTests {
    @Test(arguments: ["", "f", "fo", "foo", "foob", "fooba", "foobar"])
    func `decoding undoes encoding`(text: String) throws {
        let encoded = Base64URL(bytes: Array(text.utf8)).text
        #expect(try #require(Base64URL(encoded)).bytes == Array(text.utf8))
    }

    @Test func `the alphabet is the URL-safe one`() {
        #expect(Base64URL(bytes: [0xFB, 0xEF, 0xFF]).text == "--__")
        #expect(Base64URL("--__")?.bytes == [0xFB, 0xEF, 0xFF])
    }

    @Test(arguments: ["Zg==", "Zg=", "Zh", "Z", "Zm9v\n", "Zm 9", "Zm+/", "Zm9é", "Zg\u{0}"])
    func `any other spelling is refused`(text: String) {
        #expect(Base64URL(text) == nil)
    }
}
