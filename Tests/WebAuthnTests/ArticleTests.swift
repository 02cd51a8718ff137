import Foundation
import GatehouseTesting
import Testing
import WebAuthn
import Wire

@Suite struct `The article on the library by itself` {
    private let passkeys = Passkeys()
    private let origin = "https://auth.example.com"
    private let alice = UserEntity(id: Base64URL(bytes: Array(0..<16)), name: "alice", displayName: "Alice")

    @Test func `shows code that registers a passkey and signs in with it`() throws {
        let authenticator = SoftAuthenticator()
        let record = try register(authenticator)

        let request = passkeys.requestOptions()
        let response = try authenticator.get(optionsJSON: JSONEncoder().encode(request), origin: origin)
        let used = try passkeys.signIn(response, answering: request.challenge) {
            $0 == record.id ? (record, alice) : nil
        }
        #expect(used?.id == record.id)
        #expect(used?.signCount == record.signCount + 1)
        #expect(try passkeys.signIn(response, answering: request.challenge) { _ in nil } == nil)
    }

    @Test func `shows code that refuses the answer to another challenge`() throws {
        let authenticator = SoftAuthenticator()
        let record = try register(authenticator)
        let response = try authenticator.get(
            optionsJSON: JSONEncoder().encode(passkeys.requestOptions()),
            origin: origin
        )
        #expect(throws: WebAuthnError.challengeMismatch) {
            try passkeys.signIn(response, answering: .challenge()) { _ in (record, alice) }
        }
    }

    @Test func `shows the very code that is tested`() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let code = try String(contentsOf: tests.appending(path: "Passkeys.swift"), encoding: .utf8)
        let article = try String(
            contentsOf: tests.appending(path: "../../Sources/WebAuthn/WebAuthn.docc/OnItsOwn.md").standardized,
            encoding: .utf8
        )
        #expect(article.contains("```swift\n\(code)```\n"))
    }

    private func register(_ authenticator: SoftAuthenticator) throws -> CredentialRecord {
        let options = passkeys.creationOptions(for: alice)
        let response = try authenticator.create(optionsJSON: JSONEncoder().encode(options), origin: origin)
        return try passkeys.register(response, answering: options.challenge)
    }
}
