import Foundation
import GatehouseTesting
import WebAuthn
import Wire

/// A relying party and an account, for ceremonies with a software authenticator.
struct Site {
    static let origin = "https://auth.example.test"

    var relyingParty = RelyingParty(id: "auth.example.test", origins: [Self.origin])
    var settings = SoftAuthenticator.Settings()
    /// What the client says its page is.
    var origin = Self.origin
    var registrationExpectation = RegistrationExpectation(
        challenge: Array(0..<32),
        requiresUserVerification: true
    )
    var assertionExpectation = AssertionExpectation(
        challenge: Array(100..<132),
        requiresUserVerification: true,
        userHandle: Array(200..<232),
        userIsIdentified: false
    )
    var residentKey = ResidentKey.required
    var attestation = AttestationPolicy.notWanted
    /// When certificates have to be valid: 2026-07-30.
    var time: Int64 = 1_785_369_600

    var creationOptions: PublicKeyCredentialCreationOptionsJSON {
        PublicKeyCredentialCreationOptionsJSON(
            rp: RelyingPartyEntity(id: relyingParty.id, name: "Example"),
            user: UserEntity(
                id: Base64URL(bytes: assertionExpectation.userHandle),
                name: "alice",
                displayName: "Alice"
            ),
            challenge: Base64URL(bytes: registrationExpectation.challenge),
            algorithms: registrationExpectation.algorithms,
            authenticatorSelection: AuthenticatorSelection(residentKey: residentKey)
        )
    }

    var requestOptions: PublicKeyCredentialRequestOptionsJSON {
        PublicKeyCredentialRequestOptionsJSON(
            challenge: Base64URL(bytes: assertionExpectation.challenge),
            rpId: relyingParty.id,
            allowCredentials: assertionExpectation.allowedCredentials.map { PublicKeyCredentialDescriptor(id: $0) }
        )
    }

    /// The JSON of a registration response.
    func createJSON(
        _ authenticator: SoftAuthenticator? = nil,
        altering alterations: Alterations = Alterations()
    ) throws -> Data {
        try (authenticator ?? SoftAuthenticator(settings)).create(
            optionsJSON: JSONEncoder().encode(creationOptions),
            origin: origin,
            altering: alterations
        )
    }

    /// Registers a credential and verifies the response.
    func register(
        _ authenticator: SoftAuthenticator? = nil,
        altering alterations: Alterations = Alterations()
    ) throws -> VerifiedRegistration {
        try verify(createJSON(authenticator, altering: alterations))
    }

    /// Verifies the JSON of a registration response.
    func verify(_ json: Data) throws -> VerifiedRegistration {
        try relyingParty.verifyRegistration(
            JSONDecoder().decode(RegistrationResponseJSON.self, from: json),
            expecting: registrationExpectation,
            attestation: attestation,
            at: time
        )
    }

    /// The JSON of an authentication response.
    func getJSON(_ authenticator: SoftAuthenticator, altering alterations: Alterations = Alterations()) throws -> Data {
        try authenticator.get(
            optionsJSON: JSONEncoder().encode(requestOptions),
            origin: origin,
            altering: alterations
        )
    }

    /// Signs in with what the authenticator holds and verifies the response.
    func signIn(
        _ authenticator: SoftAuthenticator,
        by record: CredentialRecord,
        altering alterations: Alterations = Alterations()
    ) throws -> VerifiedAssertion {
        let json = try getJSON(authenticator, altering: alterations)
        return try relyingParty.verifyAssertion(
            JSONDecoder().decode(AuthenticationResponseJSON.self, from: json),
            by: record,
            expecting: assertionExpectation
        )
    }
}
