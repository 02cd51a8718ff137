import Testing
import Wire

struct CompactJWSTests {
    @Test func `three parts come apart, and the first two are what is signed`() throws {
        let token = try CompactJWS(parsing: Array("e30.AQ.AgM".utf8))
        #expect(token.header == Array("{}".utf8) && token.payload == [1] && token.signature == [2, 3])
        #expect(token.signedBytes == Array("e30.AQ".utf8))
        #expect(try CompactJWS(parsing: Array("..".utf8)).signedBytes == Array(".".utf8))
    }

    @Test(arguments: [
        "", "e30", ".", "e30.AQ", "e30.AQ.AgM.", "e30..AQ.AgM", ".e30.AQ.AgM", "e30.AQ.AgN", "e30.A Q.AgM",
        "e30=.AQ.AgM",
    ])
    func `anything else is refused`(text: String) {
        #expect(throws: WireFault.self) { try CompactJWS(parsing: Array(text.utf8)) }
    }
}
