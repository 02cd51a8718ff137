import FoundationEssentials
import GatehouseTesting
import WebAuthn
import Wire

/// Verifying a whole ES256 assertion by a stored COSE key, beside libcrypto verifying its signature alone with a key that
/// was prepared before.
struct WebAuthnES256: Scenario {
    let name = "webauthn-es256"
    let budget = 0.70

    func run() throws -> Double {
        let signIn = try SignIn()
        let reference = try P256Reference(
            coseKey: signIn.record.publicKey.bytes,
            signature: signIn.response.signature.bytes,
            clientDataJSON: signIn.response.clientDataJSON.bytes,
            authenticatorData: signIn.response.authenticatorData.bytes
        )
        return try AlternatingRounds().ratio(of: signIn.verify, to: reference.verify)
    }
}

/// One assertion, ready to be verified again and again.
private struct SignIn {
    private static let origin = "https://example.org"
    private let relyingParty = RelyingParty(id: "example.org", origins: [origin])
    private let expectation: AssertionExpectation
    let record: CredentialRecord
    let response: AuthenticationResponseJSON

    init() throws {
        var settings = SoftAuthenticator.Settings()
        settings.counts = false
        let authenticator = SoftAuthenticator(settings)
        let user = UserEntity(id: Base64URL(bytes: Array(0..<32)), name: "alice", displayName: "Alice")
        let challenge = Base64URL(bytes: Array(32..<64))
        let creation = PublicKeyCredentialCreationOptionsJSON(
            rp: RelyingPartyEntity(id: relyingParty.id, name: "Example"),
            user: user,
            challenge: challenge,
            authenticatorSelection: AuthenticatorSelection()
        )
        let created = try authenticator.create(optionsJSON: JSONEncoder().encode(creation), origin: Self.origin)
        record = try relyingParty.verifyRegistration(
            JSONDecoder().decode(RegistrationResponseJSON.self, from: created),
            expecting: RegistrationExpectation(challenge: challenge.bytes, requiresUserVerification: true)
        ).credential
        let request = PublicKeyCredentialRequestOptionsJSON(challenge: challenge, rpId: relyingParty.id)
        let got = try authenticator.get(optionsJSON: JSONEncoder().encode(request), origin: Self.origin)
        response = try JSONDecoder().decode(AuthenticationResponseJSON.self, from: got)
        expectation = AssertionExpectation(
            challenge: challenge.bytes,
            requiresUserVerification: true,
            userHandle: user.id.bytes,
            userIsIdentified: false
        )
    }

    func verify() throws {
        _ = try relyingParty.verifyAssertion(response, by: record, expecting: expectation)
    }
}
