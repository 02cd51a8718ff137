import Crypto
import Foundation
import GatehouseTesting
import Testing
import WebAuthn
import Wire

/// Whatever comes, there is a verdict, and it is not that a stranger is trusted.
struct AttestationRobustnessTests {
    private static let rounds = 3_000

    /// What may differ in an object that is trusted all the same: what a U2F signature doesn't cover.
    private static func isSame(_ changed: [UInt8], as vector: SpecificationVector) -> Bool {
        guard let object = try? AttestationObject(parsing: changed) else { return false }
        let genuine = vector.registration.response.attestationObject.bytes
        guard let original = try? AttestationObject(parsing: genuine) else { return false }
        let fixed = original.encodedAuthenticatorData.indices.filter { !vector.unsigned.contains($0) }
        return object.encodedAuthenticatorData.count == original.encodedAuthenticatorData.count
            && fixed.allSatisfy { object.encodedAuthenticatorData[$0] == original.encodedAuthenticatorData[$0] }
    }

    @Test(arguments: SpecificationVector.all)
    func `an attestation object changed at random is refused, or says the same`(vector: SpecificationVector) {
        var mutator = Mutator(seed: UInt64(vector.name.utf8.count))
        let genuine = vector.registration.response
        for _ in 0..<Self.rounds {
            let changed = mutator.mutated(genuine.attestationObject.bytes)
            let response = genuine.replacing(attestationObject: changed)
            guard (try? vector.register(response, attestation: SpecificationVector.required)) != nil else { continue }
            #expect(Self.isSame(changed, as: vector))
        }
    }

    @Test(arguments: SpecificationVector.all)
    func `parts of one statement in another are refused`(vector: SpecificationVector) {
        var mutator = Mutator(seed: 1)
        let genuine = vector.registration.response
        let bytes = genuine.attestationObject.bytes
        for other in SpecificationVector.all where other.name != vector.name {
            let donor = other.registration.response.attestationObject.bytes
            for _ in 0..<20 {
                let cut = Int.random(in: 1..<min(bytes.count, donor.count), using: &mutator)
                let changed = Array(bytes[..<cut] + donor[cut...])
                let response = genuine.replacing(attestationObject: changed)
                guard (try? vector.register(response, attestation: SpecificationVector.required)) != nil else {
                    continue
                }
                #expect(Self.isSame(changed, as: vector))
            }
        }
    }

    @Test(arguments: DeviceTests.registrations)
    func `a statement of a device changed at random is no crash`(ceremony: DeviceCeremony) throws {
        let json = try #require(DeviceFile.responses[ceremony.id])
        let genuine = try JSONDecoder().decode(RegistrationResponseJSON.self, from: json)
        var mutator = Mutator(seed: UInt64(ceremony.id.utf8.count))
        for _ in 0..<500 {
            let changed = mutator.mutated(genuine.attestationObject.bytes)
            _ = try? ceremony.relyingParty.verifyRegistration(
                genuine.replacing(attestationObject: changed),
                expecting: RegistrationExpectation(
                    challenge: ceremony.challenge.bytes,
                    algorithms: COSEAlgorithm.supported,
                    requiresUserVerification: false
                ),
                attestation: .wanted(AttestationTrust(DeviceTests.anchors)),
                at: ceremony.time
            )
        }
    }

    @Test func `certificates changed at random are refused, or read`() throws {
        let roots = DeviceFile.shared?.trustRoots.values.map(\.bytes) ?? []
        var mutator = Mutator(seed: 2)
        for root in roots {
            for _ in 0..<500 {
                guard let certificate = try? Certificate(der: mutator.mutated(root)) else { continue }
                _ = try? certificate.fields.isAuthority
                _ = try? certificate.fields.extendedKeyUsages
                _ = try? certificate.fields.alternativeDirectoryNames
            }
        }
    }

    @Test(arguments: [[0x30, 0x80], [0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF], [0xA0, 0x03]] as [[UInt8]])
    func `certificates of a thousand levels and of lengths beyond their end are refused`(level: [UInt8]) {
        let nested = Array([[UInt8]](repeating: level, count: 10_000).joined())
        #expect(throws: CertificateFault.self) { try Certificate(der: nested) }
    }
}
