import Foundation
import GatehouseCore
import GatehouseKit
import Testing

/// Six digits, or something longer; always wrong.
private struct CodeProvider: CredentialProvider {
    let kind: CredentialKind
    let isGuessable: Bool

    struct Credential: Decodable, Sendable { let identifier: String }

    func claimedIdentifier(_ credential: Credential) -> Identifier? { .claimed(credential.identifier) }

    func verify(_ credential: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence {
        throw .refused(Refusal(.credentialRejected, "wrong"))
    }
}

struct GuessableTests {
    @Test func `failures count against a name where the provider says that its credentials can be guessed`() throws {
        let (pin, long) = (CredentialKind("pin"), CredentialKind("long-code"))
        let gateway = try Gateway(
            throttle: ThrottlePolicy(freeFailures: 3),
            adding: [CodeProvider(kind: pin, isGuessable: true), CodeProvider(kind: long, isGuessable: false)]
        )
        for attempt in 0..<6 {
            #expect(
                refusal { _ = try gateway.complete(try gateway.begin(), "lee", kind: pin) }
                    == (attempt < 3 ? .credentialRejected : .tooManyAttempts)
            )
            #expect(refusal { _ = try gateway.complete(try gateway.begin(), "lee", kind: long) } == .credentialRejected)
        }
    }
}
