import Foundation
import WebAuthn
import Wire

/// Passkeys for a site; the server around it keeps challenges until they are answered, once, and records by user.
struct Passkeys {
    let site = RelyingParty(id: "example.com", origins: ["https://auth.example.com"])

    static func challenge() -> Base64URL { Base64URL(bytes: (0..<32).map { _ in .random(in: .min ... .max) }) }

    /// For `PublicKeyCredential.parseCreationOptionsFromJSON()` in the page.
    func creationOptions(for user: UserEntity, _ challenge: Base64URL) throws -> Data {
        let options = PublicKeyCredentialCreationOptionsJSON(
            rp: RelyingPartyEntity(id: site.id, name: "Example"),
            user: user,
            challenge: challenge,
            authenticatorSelection: AuthenticatorSelection(userVerification: .required)
        )
        return try JSONEncoder().encode(options)
    }

    /// The record to store, unless one with its ID is stored already.
    func register(_ response: Data, answering challenge: Base64URL) throws -> CredentialRecord {
        try site.verifyRegistration(
            JSONDecoder().decode(RegistrationResponseJSON.self, from: response),
            expecting: RegistrationExpectation(challenge: challenge.bytes, requiresUserVerification: true)
        ).credential
    }

    /// For `PublicKeyCredential.parseRequestOptionsFromJSON()` in the page.
    func requestOptions(_ challenge: Base64URL) throws -> Data {
        let options = PublicKeyCredentialRequestOptionsJSON(
            challenge: challenge,
            rpId: site.id,
            userVerification: .required
        )
        return try JSONEncoder().encode(options)
    }

    /// The record to store in place of the old one, as the user who owns it signs in; `nil` for a passkey of nobody.
    func signIn(
        _ response: Data,
        answering challenge: Base64URL,
        find: (Base64URL) -> (record: CredentialRecord, owner: UserEntity)?
    ) throws -> CredentialRecord? {
        let response = try JSONDecoder().decode(AuthenticationResponseJSON.self, from: response)
        guard let (record, owner) = find(response.id) else { return nil }
        let expectation = AssertionExpectation(
            challenge: challenge.bytes,
            requiresUserVerification: true,
            userHandle: owner.id.bytes,
            userIsIdentified: false
        )
        return try site.verifyAssertion(response, by: record, expecting: expectation).credential
    }
}
