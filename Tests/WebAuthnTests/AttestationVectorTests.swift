import Crypto
import Testing
import WebAuthn
import Wire

extension SpecificationVector {
    /// Those whose certificates lead to the root of the specification.
    static let certified = all.filter { !["None", "Self"].contains($0.attestationType) }

    static let required = AttestationPolicy.required(AttestationRequirements(AttestationTrust(anchors)))

    var expectedType: AttestationType {
        switch attestationType {
        case "Self": .selfAttestation
        case "Basic": .basic
        case "AttCA": .attestationCA
        case "AnonCA": .anonymizationCA
        default: .none
        }
    }

    /// Where the object differs when a bit of it may change: what a U2F signature doesn't cover.
    ///
    /// Flags, counter and AAGUID; in offsets from the start of the authenticator data.
    var unsigned: Range<Int> { attestationFormat == .fidoU2F ? 32..<53 : 0..<0 }
}

struct AttestationVectorTests {
    @Test func `every format that has a procedure is there`() {
        let formats = Set(SpecificationVector.certified.map(\.attestationFormat))
        #expect(formats == [.packed, .tpm, .androidKey, .fidoU2F, .apple])
        #expect(SpecificationVector.certified.count == 10)
    }

    @Test(arguments: SpecificationVector.all)
    func `a statement is verified where it is wanted`(vector: SpecificationVector) throws {
        let attestation = try vector.register(attestation: .wanted(AttestationTrust(SpecificationVector.anchors)))
            .attestation
        #expect(attestation.format == vector.attestationFormat)
        #expect(attestation.type == vector.expectedType)
        #expect(attestation.isTrusted == SpecificationVector.certified.contains { $0.name == vector.name })
    }

    @Test(arguments: SpecificationVector.certified)
    func `certificates lead to the root of the specification`(vector: SpecificationVector) throws {
        let registered = try vector.register(attestation: SpecificationVector.required)
        #expect(registered.attestation.isTrusted && registered.credential.isAttested)
        #expect(throws: WebAuthnError.attestationUntrusted(.chain(.notYetValid))) {
            try vector.register(attestation: SpecificationVector.required, at: 0)
        }
        #expect(throws: WebAuthnError.attestationUntrusted(.chain(.expired))) {
            try vector.register(attestation: SpecificationVector.required, at: 40_000_000_000)
        }
    }

    @Test(arguments: SpecificationVector.all.filter { $0.expectedType == .none || $0.expectedType == .selfAttestation })
    func `no certificates are not enough where they are required`(vector: SpecificationVector) {
        #expect(throws: WebAuthnError.attestationUntrusted(.noCertificates)) {
            try vector.register(attestation: SpecificationVector.required)
        }
    }

    @Test(arguments: SpecificationVector.certified)
    func `other client data is refused`(vector: SpecificationVector) throws {
        let response = vector.registration.response
        let text = String(decoding: response.clientDataJSON.bytes, as: UTF8.self)
        let longer = Array(text.dropLast().utf8) + Array(#","more":1}"#.utf8)
        _ = try vector.register(response.replacing(clientDataJSON: longer))
        #expect(throws: WebAuthnError.self) {
            try vector.register(response.replacing(clientDataJSON: longer), attestation: SpecificationVector.required)
        }
    }
}

/// What a statement covers, it covers to the bit.
struct AttestationIntegrityTests {
    @Test(arguments: SpecificationVector.certified)
    func `a certified attestation object with any one bit flipped is refused`(vector: SpecificationVector) throws {
        let object = vector.registration.response.attestationObject.bytes
        let data = try AttestationObject(parsing: object).encodedAuthenticatorData
        let start = try #require(object.firstIndex(of: data))
        let unsigned = (start + vector.unsigned.lowerBound)..<(start + vector.unsigned.upperBound)
        for (bit, changed) in flips(of: object).enumerated() where !unsigned.contains(bit / 8) {
            let response = vector.registration.response.replacing(attestationObject: changed)
            #expect(throws: WebAuthnError.self, "bit \(bit)") {
                try vector.register(response, attestation: SpecificationVector.required)
            }
        }
    }

    @Test(arguments: SpecificationVector.all.filter { $0.expectedType == .selfAttestation })
    func `a self attestation with any one bit flipped is refused`(vector: SpecificationVector) throws {
        for changed in flips(of: vector.registration.response.attestationObject.bytes) {
            let response = vector.registration.response.replacing(attestationObject: changed)
            let accepted = try? vector.register(
                response,
                attestation: .wanted(AttestationTrust(SpecificationVector.anchors))
            )
            #expect(accepted == nil)
        }
    }

    @Test(arguments: SpecificationVector.all)
    func `an attestation object cut short anywhere is refused`(vector: SpecificationVector) throws {
        let object = vector.registration.response.attestationObject.bytes
        for length in object.indices {
            let response = vector.registration.response.replacing(attestationObject: Array(object.prefix(length)))
            #expect(throws: WebAuthnError.self) {
                try vector.register(response, attestation: .wanted(AttestationTrust(SpecificationVector.anchors)))
            }
        }
    }
}

extension [UInt8] {
    /// Where another array stands in it for the first time.
    func firstIndex(of part: [UInt8]) -> Int? {
        indices.first { self[$0...].starts(with: part) }
    }
}
