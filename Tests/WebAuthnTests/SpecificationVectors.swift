import Crypto
import Foundation
import Testing
import WebAuthn
import Wire

/// A registration and an assertion of W3C WebAuthn Level 3 §16 (`#sctn-test-vectors`), read from `Vectors/`.
struct SpecificationVector: Decodable, Sendable, CustomTestStringConvertible {
    struct Registration: Decodable, Sendable {
        let challenge: Base64URL
        let response: RegistrationResponseJSON
    }

    struct Authentication: Decodable, Sendable {
        let challenge: Base64URL
        let response: AuthenticationResponseJSON
    }

    let name: String
    let attestationFormat: AttestationFormat
    let attestationType: String
    let algorithm: COSEAlgorithm
    let rpId: String
    let origin: String
    let topOrigin: String?
    let crossOrigin: Bool
    let credentialId: Base64URL
    let publicKey: Base64URL
    let registration: Registration
    let authentication: Authentication

    var testDescription: String { name }

    static let all = file?.vectors ?? []

    /// The root of the attestation certificates.
    static let anchors: TrustAnchors = {
        let root = file.flatMap { try? Certificate(der: $0.trustRoot.bytes) }
        return TrustAnchors(root.map { [$0] } ?? [])
    }()

    /// Within the validity of all certificates: 2026-07-30.
    static let time: Int64 = 1_785_369_600

    private struct File: Decodable {
        let trustRoot: Base64URL
        let vectors: [SpecificationVector]
    }

    private static let file: File? = {
        guard let url = Bundle.module.url(forResource: "w3c-level-3", withExtension: "json", subdirectory: "Vectors"),
            let data = try? Data(contentsOf: url), let file = try? JSONDecoder().decode(File.self, from: data)
        else { return nil }
        return file
    }()

    var relyingParty: RelyingParty {
        let framing = crossOrigin || topOrigin != nil
        return RelyingParty(
            id: rpId,
            origins: [origin],
            framing: framing ? .allowed(topOrigins: topOrigin.map { [$0] } ?? []) : .refused
        )
    }

    func register(
        _ response: RegistrationResponseJSON? = nil,
        as relyingParty: RelyingParty? = nil,
        attestation policy: AttestationPolicy = .notWanted,
        at time: Int64 = SpecificationVector.time
    ) throws -> VerifiedRegistration {
        try (relyingParty ?? self.relyingParty).verifyRegistration(
            response ?? registration.response,
            expecting: RegistrationExpectation(
                challenge: registration.challenge.bytes,
                algorithms: COSEAlgorithm.supported,
                requiresUserVerification: false
            ),
            attestation: policy,
            at: time
        )
    }

    func authenticate(
        _ response: AuthenticationResponseJSON? = nil,
        by record: CredentialRecord,
        as relyingParty: RelyingParty? = nil
    ) throws -> VerifiedAssertion {
        try (relyingParty ?? self.relyingParty).verifyAssertion(
            response ?? authentication.response,
            by: record,
            expecting: AssertionExpectation(
                challenge: authentication.challenge.bytes,
                requiresUserVerification: false,
                userHandle: [1],
                userIsIdentified: true
            )
        )
    }
}
