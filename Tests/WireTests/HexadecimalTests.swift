import Testing
import Wire

struct HexadecimalTests {
    @Test func `bytes are written in lower case and read in either`() {
        #expect(Hexadecimal.text([0x00, 0x0A, 0xF0, 0xFF]) == "000af0ff")
        #expect(Hexadecimal.digits(of: [0x9F]) == Array("9f".utf8))
        #expect(Hexadecimal.bytes(of: "000AF0ff") == [0x00, 0x0A, 0xF0, 0xFF])
        #expect(Hexadecimal.text([]) == "")
        for wrong in ["0", "+1", "0x", "g0", " 1", "1\u{FF11}"] { #expect(Hexadecimal.bytes(of: wrong) == nil) }
    }
}
