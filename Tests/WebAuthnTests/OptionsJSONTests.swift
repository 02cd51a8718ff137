import Foundation
import Testing
import WebAuthn
import Wire

struct OptionsJSONTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test func `creation options have the names of the specification`() throws {
        let options = PublicKeyCredentialCreationOptionsJSON(
            rp: RelyingPartyEntity(id: "example.test", name: "Example"),
            user: UserEntity(id: Base64URL(bytes: [1]), name: "alice", displayName: "Alice"),
            challenge: Base64URL(bytes: [2]),
            timeout: 60_000,
            excludeCredentials: [PublicKeyCredentialDescriptor(id: Base64URL(bytes: [3]), transports: ["usb"])],
            authenticatorSelection: AuthenticatorSelection(
                authenticatorAttachment: .platform,
                userVerification: .discouraged
            ),
            hints: [.clientDevice]
        )
        let expected = """
            {"attestation":"none","authenticatorSelection":{"authenticatorAttachment":"platform",\
            "requireResidentKey":true,"residentKey":"required","userVerification":"discouraged"},"challenge":"Ag",\
            "excludeCredentials":[{"id":"Aw","transports":["usb"],"type":"public-key"}],\
            "extensions":{"credProps":true},"hints":["client-device"],\
            "pubKeyCredParams":[{"alg":-7,"type":"public-key"},{"alg":-8,"type":"public-key"},\
            {"alg":-257,"type":"public-key"}],"rp":{"id":"example.test","name":"Example"},"timeout":60000,\
            "user":{"displayName":"Alice","id":"AQ","name":"alice"}}
            """
        #expect(try json(options) == expected)
    }

    @Test func `request options have the names of the specification`() throws {
        let options = PublicKeyCredentialRequestOptionsJSON(
            challenge: Base64URL(bytes: [2]),
            rpId: "example.test",
            allowCredentials: [PublicKeyCredentialDescriptor(id: Base64URL(bytes: [3]))],
            userVerification: .preferred
        )
        let expected = """
            {"allowCredentials":[{"id":"Aw","type":"public-key"}],"challenge":"Ag",\
            "rpId":"example.test","userVerification":"preferred"}
            """
        #expect(try json(options) == expected)
    }

    @Test func `without an allow list the options have no such member`() throws {
        let options = PublicKeyCredentialRequestOptionsJSON(challenge: Base64URL(bytes: [2]), rpId: "example.test")
        #expect(try json(options) == #"{"challenge":"Ag","rpId":"example.test","userVerification":"required"}"#)
    }

    @Test func `what is asked unless told otherwise is what is expected unless told otherwise`() throws {
        let user = UserEntity(id: Base64URL(bytes: [1]), name: "alice", displayName: "Alice")
        let creation = PublicKeyCredentialCreationOptionsJSON(
            rp: RelyingPartyEntity(id: "example.test", name: "Example"),
            user: user
        )
        let request = PublicKeyCredentialRequestOptionsJSON(rpId: "example.test")
        #expect(creation.authenticatorSelection?.userVerification == .required)
        #expect(request.userVerification == .required)
        #expect(RegistrationExpectation(challenge: creation.challenge.bytes).requiresUserVerification)
        let expectation = AssertionExpectation(challenge: request.challenge.bytes, userHandle: user.id.bytes)
        #expect(expectation.requiresUserVerification && !expectation.userIsIdentified)
    }

    @Test func `challenges that nobody chose are 32 bytes, and never the same`() {
        let challenges = (0..<100).map { _ in PublicKeyCredentialRequestOptionsJSON(rpId: "example.test").challenge }
        #expect(Set(challenges).count == 100)
        #expect(challenges.allSatisfy { $0.bytes.count == 32 })
    }
}
