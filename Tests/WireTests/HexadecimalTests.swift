import Testing
import Wire

struct HexadecimalTests {
    @Test func `bytes are written in lower case and read in either`() {
        #expect(String(decoding: Hexadecimal.digits(of: [0x00, 0x9F, 0xAB]), as: UTF8.self) == "009fab")
        #expect(Hexadecimal.bytes(of: "009fAb") == [0x00, 0x9F, 0xAB])
        for text in ["0", "0g", "+1", " 1", "1\u{FF11}"] { #expect(Hexadecimal.bytes(of: text) == nil) }
    }
}
