import Crypto
import Foundation
import WebAuthn
import Wire

/// What a server knows about one ceremony, and the response to it.
struct Question: Decodable {
    private enum Ceremony {
        case registration(RegistrationResult)
        case authentication(AuthenticationResult)
    }

    /// A response that can't be decoded is an answer like another, not a broken question.
    private typealias RegistrationResult = Result<RegistrationResponseJSON, any Error>
    private typealias AuthenticationResult = Result<AuthenticationResponseJSON, any Error>

    /// What the server stored when the credential was registered.
    private struct Stored: Decodable {
        let id: Base64URL
        let publicKey: Base64URL
        let algorithm: COSEAlgorithm
        let signCount: UInt32
        let backupEligible: Bool
        let userHandle: Base64URL
    }

    private let relyingParty: RelyingParty
    private let challenge: Base64URL
    private let requiresUserVerification: Bool
    private let algorithms: [COSEAlgorithm]
    /// Whom attestations have to lead to; without any, none is asked for.
    private let anchors: [Base64URL]?
    private let stored: Stored?
    private let ceremony: Ceremony

    private enum CodingKeys: String, CodingKey {
        case rpId, origin, challenge, requiresUserVerification, algorithms, anchors, stored, response
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        relyingParty = RelyingParty(
            id: try values.decode(String.self, forKey: .rpId),
            origins: [try values.decode(String.self, forKey: .origin)]
        )
        challenge = try values.decode(Base64URL.self, forKey: .challenge)
        requiresUserVerification = try values.decode(Bool.self, forKey: .requiresUserVerification)
        algorithms = try values.decode([COSEAlgorithm].self, forKey: .algorithms)
        anchors = try values.decodeIfPresent([Base64URL].self, forKey: .anchors)
        stored = try values.decodeIfPresent(Stored.self, forKey: .stored)
        ceremony =
            stored == nil
            ? .registration(RegistrationResult { try values.decode(RegistrationResponseJSON.self, forKey: .response) })
            : .authentication(
                AuthenticationResult { try values.decode(AuthenticationResponseJSON.self, forKey: .response) }
            )
    }

    /// - Throws: Why the response is refused.
    func ask() throws {
        switch ceremony {
        case .registration(let response):
            _ = try relyingParty.verifyRegistration(
                response.get(),
                expecting: RegistrationExpectation(
                    challenge: challenge.bytes,
                    algorithms: algorithms,
                    requiresUserVerification: requiresUserVerification
                ),
                attestation: policy(),
                at: Int64(Date.now.timeIntervalSince1970)
            )
        case .authentication(let response):
            guard let stored else { return }
            try verify(response.get(), by: stored)
        }
    }

    private func policy() throws -> AttestationPolicy {
        guard let anchors else { return .notWanted }
        let certificates = try anchors.map { try Certificate(der: $0.bytes) }
        return .required(AttestationRequirements(AttestationTrust(TrustAnchors(certificates))))
    }

    private func verify(_ response: AuthenticationResponseJSON, by stored: Stored) throws {
        let record = CredentialRecord(
            id: stored.id,
            publicKey: stored.publicKey,
            algorithm: stored.algorithm,
            signCount: stored.signCount,
            uvInitialized: true,
            transports: [],
            backupEligible: stored.backupEligible,
            backupState: false,
            aaguid: Base64URL(bytes: [UInt8](repeating: 0, count: 16)),
            attestationFormat: .none
        )
        _ = try relyingParty.verifyAssertion(
            response,
            by: record,
            expecting: AssertionExpectation(
                challenge: challenge.bytes,
                requiresUserVerification: requiresUserVerification,
                userHandle: stored.userHandle.bytes,
                userIsIdentified: true
            )
        )
    }
}
