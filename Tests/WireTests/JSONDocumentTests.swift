import Testing
import Wire

struct JSONDocumentTests {
    private func elements(_ document: JSONDocument) -> [String] {
        (0..<document.count).map { String(decoding: document.element($0), as: UTF8.self) }
    }

    @Test func `an object gives the elements of one array and its other members`() throws {
        let document = try JSONDocument(parsing: Array(#"{"no": 7, "items": [{"a":[1]}, 2]}"#.utf8), dividing: "items")
        #expect(elements(document) == [#"{"a":[1]}"#, "2"])
        #expect(document["no"] == Array("7".utf8) && document["items"] == nil)
    }

    @Test func `an array gives its elements`() throws {
        let document = try JSONDocument(parsingArray: Array(#" [ {"a":[1]}, "b" ] "#.utf8))
        #expect(elements(document) == [#"{"a":[1]}"#, #""b""#])
        #expect(try JSONDocument(parsingArray: Array("[]".utf8)).count == 0)
    }

    @Test(arguments: ["", "{}", "[", "[1,]", "[1] 2", #"[{"a":1,"a":2}]"#, "[[[[[1]]]]]"])
    func `an array is read strictly`(text: String) {
        #expect(throws: WireFault.self) { try JSONDocument(parsingArray: Array(text.utf8), depth: 4) }
    }
}
