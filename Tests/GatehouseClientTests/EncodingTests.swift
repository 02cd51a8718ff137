import Foundation
import GatehouseClient
import Testing

struct EncodingTests {
    @Test(arguments: ["", "AA", "-_-_", "AQIDBA"])
    func `bytes are written as base64url without padding`(text: String) throws {
        let data = try #require(Base64URLData(text))
        #expect(data.text == text)
        #expect(try JSONDecoder().decode([Base64URLData].self, from: Data("[\"\(text)\"]".utf8)) == [data])
    }

    @Test(arguments: ["A", "AA==", "+/+/", "A A", "\u{E9}\u{E9}"])
    func `other spellings are refused`(text: String) {
        #expect(Base64URLData(text) == nil)
    }

    @Test func `a kind of a later version is left to whoever knows it`() throws {
        let json = #"{"ceremonyId":"c","expiresAt":"t","requests":[{"kind":"smoke","puffs":3},{"kind":"password"}]}"#
        let ceremony = try JSONDecoder().decode(SignInCeremony.self, from: Data(json.utf8))
        guard case .other("smoke") = ceremony.requests.first, case .password = ceremony.requests.last else {
            Issue.record("\(ceremony.requests)")
            return
        }
    }
}
