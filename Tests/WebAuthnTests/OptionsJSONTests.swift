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
            authenticatorSelection: AuthenticatorSelection(authenticatorAttachment: .platform),
            hints: [.clientDevice]
        )
        let expected = """
            {"attestation":"none","authenticatorSelection":{"authenticatorAttachment":"platform",\
            "requireResidentKey":true,"residentKey":"required","userVerification":"preferred"},"challenge":"Ag",\
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
            userVerification: .required
        )
        let expected = """
            {"allowCredentials":[{"id":"Aw","type":"public-key"}],"challenge":"Ag",\
            "rpId":"example.test","userVerification":"required"}
            """
        #expect(try json(options) == expected)
    }

    @Test func `without an allow list the options have no such member`() throws {
        let options = PublicKeyCredentialRequestOptionsJSON(challenge: Base64URL(bytes: [2]), rpId: "example.test")
        #expect(try json(options) == #"{"challenge":"Ag","rpId":"example.test","userVerification":"preferred"}"#)
    }
}
