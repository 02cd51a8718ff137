import Crypto
import FoundationEssentials
import GatehouseTesting
import WebAuthn
import Wire

/// Verifying a whole assertion by a stored COSE key, beside libcrypto verifying its signature alone with a key that was
/// prepared before.
struct WebAuthnAssertion: Scenario {
    let name: String
    let budget: Double
    private let algorithm: SigningKey.Algorithm

    static let es256 = WebAuthnAssertion(name: "webauthn-es256", budget: 0.85, algorithm: .es256)
    static let edDSA = WebAuthnAssertion(name: "webauthn-eddsa", budget: 0.85, algorithm: .edDSA)
    /// With a key that was used shortly before, as RSA keys are kept ready: for one that wasn't, a third is to be added.
    static let rs256 = WebAuthnAssertion(name: "webauthn-rs256", budget: 0.85, algorithm: .rs256)

    func run() throws -> Double {
        let signIn = try SignIn(algorithm)
        let reference = try reference(for: signIn)
        return try AlternatingRounds().ratio(of: signIn.verify, to: reference.verify)
    }

    func remark() throws -> String {
        let signIn = try SignIn(algorithm)
        let reference = try reference(for: signIn)
        let (all, least) = (try Allocations.count(in: signIn.verify), try Allocations.count(in: reference.verify))
        let warmth = algorithm == .rs256 ? "; the key was used shortly before" : ""
        return "\(all) allocations, the reference \(least)\(warmth)"
    }

    private func reference(for signIn: SignIn) throws -> any SignatureReference {
        let key = signIn.record.publicKey.bytes
        let signature = signIn.response.signature.bytes
        let message =
            signIn.response.authenticatorData.bytes + SHA256.hash(signIn.response.clientDataJSON.bytes)
        return switch algorithm {
        case .es256: try P256Reference(coseKey: key, signature: signature, message: message)
        case .edDSA: try Ed25519Reference(coseKey: key, signature: signature, message: message)
        case .rs256: try RSAReference(coseKey: key, signature: signature, message: message)
        default: throw ScenarioFault(reason: "no reference for \(algorithm)")
        }
    }
}

/// One assertion, ready to be verified again and again.
private struct SignIn {
    private static let origin = "https://example.org"
    private let relyingParty = RelyingParty(id: "example.org", origins: [origin])
    private let expectation: AssertionExpectation
    let record: CredentialRecord
    let response: AuthenticationResponseJSON

    init(_ algorithm: SigningKey.Algorithm) throws {
        var settings = SoftAuthenticator.Settings()
        settings.algorithms = [algorithm]
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
