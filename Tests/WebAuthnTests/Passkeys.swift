import Foundation
import WebAuthn
import Wire

/// Passkeys for a site; the server around it keeps each challenge until it is answered, once, and records by user.
struct Passkeys {
    let site = RelyingParty(id: "example.com", origins: ["https://auth.example.com"])

    /// For `PublicKeyCredential.parseCreationOptionsFromJSON()` in the page.
    func creationOptions(for user: UserEntity) -> PublicKeyCredentialCreationOptionsJSON {
        PublicKeyCredentialCreationOptionsJSON(rp: RelyingPartyEntity(id: site.id, name: "Example"), user: user)
    }

    /// The record to store, unless one with its ID is stored already.
    func register(_ body: Data, answering challenge: Base64URL) throws -> CredentialRecord {
        let response = try JSONDecoder().decode(RegistrationResponseJSON.self, from: body)
        let expectation = RegistrationExpectation(challenge: challenge.bytes)
        return try site.verifyRegistration(response, expecting: expectation).credential
    }

    /// For `PublicKeyCredential.parseRequestOptionsFromJSON()` in the page.
    func requestOptions() -> PublicKeyCredentialRequestOptionsJSON {
        PublicKeyCredentialRequestOptionsJSON(rpId: site.id)
    }

    /// The record to store in place of the one found, whose owner is signed in with it; `nil` for a passkey of nobody.
    func signIn(
        _ body: Data,
        answering challenge: Base64URL,
        find: (Base64URL) -> (record: CredentialRecord, owner: UserEntity)?
    ) throws -> CredentialRecord? {
        let response = try JSONDecoder().decode(AuthenticationResponseJSON.self, from: body)
        guard let (record, owner) = find(response.id) else { return nil }
        let expectation = AssertionExpectation(challenge: challenge.bytes, userHandle: owner.id.bytes)
        return try site.verifyAssertion(response, by: record, expecting: expectation).credential
    }
}
