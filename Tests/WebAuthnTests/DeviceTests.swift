import Crypto
import Foundation
import Testing
import WebAuthn
import Wire

/// Responses of real devices and conformance tools, read from `Vectors/devices.json`, which names their sources.
struct DeviceCeremony: Decodable, Sendable, CustomTestStringConvertible {
    let id: String
    let kind: String
    let challenge: Base64URL
    let origin: String
    let rpId: String
    let alg: COSEAlgorithm
    let requireUserVerification: Bool
    let validAt: String?
    /// The verdict of the specification, with everything supported.
    let accepted: Bool
    /// The root that its certificates lead to, by a short name.
    let anchor: String?
    let publicKey: Base64URL?
    let signCount: UInt32?

    var testDescription: String { id }

    var time: Int64 {
        let date = validAt.flatMap { try? Date($0, strategy: .iso8601) }
        return Int64(date?.timeIntervalSince1970 ?? 1_785_369_600)
    }

    var relyingParty: RelyingParty { RelyingParty(id: rpId, origins: [origin]) }
}

struct DeviceFile: Decodable {
    struct Path: Decodable, Sendable, CustomTestStringConvertible {
        let id: String
        let x5c: [Base64Text]
        let anchors: [Base64Text]
        let validAt: String
        var testDescription: String { id }
    }

    struct Signature: Decodable, Sendable, CustomTestStringConvertible {
        let id: String
        let publicKey: Base64URL
        let data: Base64URL
        let signature: Base64URL
        var testDescription: String { id }
    }

    let trustRoots: [String: Base64Text]
    let ceremonies: [DeviceCeremony]
    let trustPaths: [Path]
    let signatures: [Signature]

    static let url = Bundle.module.url(forResource: "devices", withExtension: "json", subdirectory: "Vectors")

    static let shared: DeviceFile? = {
        guard let url, let data = try? Data(contentsOf: url) else { return nil }
        return try? JSONDecoder().decode(DeviceFile.self, from: data)
    }()

    /// The response of each ceremony, by ID: of one kind or the other.
    static let responses: [String: Data] = {
        guard let url, let data = try? Data(contentsOf: url),
            let file = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let ceremonies = file["ceremonies"] as? [[String: Any]]
        else { return [:] }
        return ceremonies.reduce(into: [:]) { responses, ceremony in
            guard let id = ceremony["id"] as? String, let response = ceremony["response"] else { return }
            responses[id] = try? JSONSerialization.data(withJSONObject: response)
        }
    }()
}

/// Bytes in base64 of either alphabet.
struct Base64Text: Decodable, Sendable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        let plain = text.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        bytes = Base64URL(String(plain))?.bytes ?? []
    }
}

struct DeviceTests {
    static let registrations = DeviceFile.shared?.ceremonies.filter { $0.kind == "registration" } ?? []
    static let authentications = DeviceFile.shared?.ceremonies.filter { $0.kind == "authentication" } ?? []
    static let paths = DeviceFile.shared?.trustPaths ?? []
    static let signatures = DeviceFile.shared?.signatures ?? []

    static let anchors = TrustAnchors(
        DeviceFile.shared?.trustRoots.values.compactMap { try? Certificate(der: $0.bytes) } ?? []
    )

    /// What is refused here although the specification has room for it, and why.
    static func refusal(of ceremony: DeviceCeremony) -> WebAuthnError? {
        switch (ceremony.alg.rawValue, ceremony.id) {
        // Post-quantum algorithms, which this libcrypto doesn't have, and credentials that sign with SHA-1.
        case (-50 ... -48, _), (-65_535, _): .algorithmNotOffered
        case (_, let id) where id.contains("safetynet"): .attestationFormatRetired
        default: nil
        }
    }

    private func register(
        _ ceremony: DeviceCeremony,
        _ policy: AttestationPolicy
    ) throws -> VerifiedRegistration {
        let json = try #require(DeviceFile.responses[ceremony.id])
        return try ceremony.relyingParty.verifyRegistration(
            JSONDecoder().decode(RegistrationResponseJSON.self, from: json),
            expecting: RegistrationExpectation(
                challenge: ceremony.challenge.bytes,
                algorithms: COSEAlgorithm.supported,
                requiresUserVerification: ceremony.requireUserVerification
            ),
            attestation: policy,
            at: ceremony.time
        )
    }

    @Test func `all of them are there`() {
        #expect(Self.registrations.count == 31 && Self.authentications.count == 8)
        #expect(Self.paths.count == 3 && Self.signatures.count == 2)
        #expect(Self.anchors.certificates.count == 18)
    }

    @Test(arguments: registrations)
    func `a registration of a device is verified`(ceremony: DeviceCeremony) throws {
        if let refusal = Self.refusal(of: ceremony) {
            #expect(throws: refusal) { try register(ceremony, .wanted(AttestationTrust())) }
        } else if ceremony.accepted {
            #expect(try register(ceremony, .wanted(AttestationTrust())).credential.algorithm == ceremony.alg)
        } else {
            #expect(throws: WebAuthnError.self) { try register(ceremony, .wanted(AttestationTrust())) }
        }
    }

    @Test(arguments: registrations.filter { $0.accepted && refusal(of: $0) == nil })
    func `certificates of a device lead to its maker's root, or are not trusted`(ceremony: DeviceCeremony) throws {
        let policy = AttestationPolicy.required(AttestationRequirements(AttestationTrust(Self.anchors)))
        if ceremony.anchor != nil {
            #expect(try register(ceremony, policy).attestation.isTrusted)
        } else {
            #expect {
                try register(ceremony, policy)
            } throws: { error in
                if case WebAuthnError.attestationUntrusted = error { true } else { false }
            }
        }
    }

    @Test func `a certificate of another AAGUID is refused for that`() throws {
        let ceremony = try #require(Self.registrations.first { $0.id.contains("does-not-match-aagui") })
        #expect(throws: WebAuthnError.attestationUnsound(.aaguidMismatch)) {
            try register(ceremony, .wanted(AttestationTrust()))
        }
    }

    @Test(arguments: authentications)
    func `a sign-in of a device is verified`(ceremony: DeviceCeremony) throws {
        let json = try #require(DeviceFile.responses[ceremony.id])
        let response = try JSONDecoder().decode(AuthenticationResponseJSON.self, from: json)
        let key = try #require(ceremony.publicKey)
        let record = CredentialRecord(
            id: response.id,
            publicKey: key,
            algorithm: ceremony.alg,
            signCount: try #require(ceremony.signCount),
            uvInitialized: true,
            transports: [],
            backupEligible: nil,
            backupState: nil,
            aaguid: Base64URL(bytes: [UInt8](repeating: 0, count: 16)),
            attestationFormat: .none
        )
        let expectation = AssertionExpectation(
            challenge: ceremony.challenge.bytes,
            requiresUserVerification: ceremony.requireUserVerification,
            userHandle: response.userHandle?.bytes ?? [],
            userIsIdentified: true
        )
        let verify = { try ceremony.relyingParty.verifyAssertion(response, by: record, expecting: expectation) }
        if Self.refusal(of: ceremony) != nil {
            #expect(throws: WebAuthnError.keyInvalid(.unsupportedAlgorithm)) { try verify() }
        } else if ceremony.accepted {
            _ = try verify()
        } else {
            #expect(throws: WebAuthnError.signatureInvalid) { try verify() }
        }
    }

    @Test(arguments: paths)
    func `certificates that lead to an anchor are trusted, an anchor itself among them`(path: DeviceFile.Path) throws {
        let chain = try CertificateChain(path.x5c.map(\.bytes))
        let anchors = TrustAnchors(try path.anchors.map { try Certificate(der: $0.bytes) })
        let time = Int64(try Date(path.validAt, strategy: .iso8601).timeIntervalSince1970)
        try chain.validate(to: anchors, at: time)
        #expect(throws: CertificateChainFault.untrusted) {
            try chain.validate(to: SpecificationVector.anchors, at: time)
        }
    }

    @Test(arguments: signatures)
    func `a signature is verified`(signature: DeviceFile.Signature) throws {
        let key = try COSEKey(parsing: signature.publicKey.bytes)
        #expect(key.publicKey.isValid(signature: signature.signature.bytes, over: signature.data.bytes))
        #expect(!key.publicKey.isValid(signature: signature.signature.bytes, over: []))
    }
}
