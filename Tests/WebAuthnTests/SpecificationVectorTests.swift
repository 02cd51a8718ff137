import Testing
import WebAuthn
import Wire

struct SpecificationVectorTests {
    @Test func `every vector of an algorithm offered is there`() {
        #expect(SpecificationVector.all.count == 15)
        #expect(Set(SpecificationVector.all.map(\.algorithm)).isSuperset(of: COSEAlgorithm.defaults))
    }

    @Test(arguments: SpecificationVector.all)
    func `a vector registers and signs in`(vector: SpecificationVector) throws {
        let registered = try vector.register()
        #expect(registered.credential.id == vector.credentialId)
        #expect(registered.credential.publicKey == vector.publicKey)
        #expect(registered.credential.algorithm == vector.algorithm)
        #expect(registered.attestation.format == vector.attestationFormat)
        _ = try vector.authenticate(by: registered.credential)
    }

    @Test(arguments: SpecificationVector.all.filter(\.crossOrigin))
    func `a vector made in a frame is refused where frames are`(vector: SpecificationVector) throws {
        let strict = RelyingParty(id: vector.rpId, origins: [vector.origin])
        #expect(throws: WebAuthnError.crossOriginRefused) { try vector.register(as: strict) }
        let record = try vector.register().credential
        #expect(throws: WebAuthnError.crossOriginRefused) { try vector.authenticate(by: record, as: strict) }
    }

    @Test func `a vector made in a frame is refused inside another page than those listed`() throws {
        let vector = try #require(SpecificationVector.all.first { $0.topOrigin != nil })
        let other = RelyingParty(
            id: vector.rpId,
            origins: [vector.origin],
            framing: .allowed(topOrigins: ["https://example.net"])
        )
        #expect(throws: WebAuthnError.topOriginRefused) { try vector.register(as: other) }
    }
}

/// What a signature covers, it covers to the bit.
struct AssertionIntegrityTests {
    @Test(arguments: SpecificationVector.all)
    func `an assertion with any one bit flipped is refused`(vector: SpecificationVector) throws {
        let record = try vector.register().credential
        for part in AssertionPart.allCases {
            for changed in flips(of: part.bytes(of: vector.authentication.response)) {
                let response = part.replacing(in: vector.authentication.response, with: changed)
                #expect(throws: WebAuthnError.self) { try vector.authenticate(response, by: record) }
            }
        }
    }

    @Test(arguments: SpecificationVector.all)
    func `an assertion cut short anywhere is refused`(vector: SpecificationVector) throws {
        let record = try vector.register().credential
        for part in AssertionPart.allCases {
            let whole = part.bytes(of: vector.authentication.response)
            for length in whole.indices {
                let response = part.replacing(
                    in: vector.authentication.response,
                    with: Array(whole.prefix(length))
                )
                #expect(throws: WebAuthnError.self) { try vector.authenticate(response, by: record) }
            }
        }
    }
}

/// What holds without an attestation signature: ties to the ceremony, and that no input traps.
///
/// Nothing protects the AAGUID, the counter, the flags or the key of a registration then.
struct RegistrationIntegrityTests {
    @Test(arguments: SpecificationVector.all)
    func `a bit flipped in an attestation object never changes whose credential it is`(
        vector: SpecificationVector
    ) throws {
        let genuine = vector.registration.response
        for changed in flips(of: genuine.attestationObject.bytes) {
            let accepted = try? vector.register(genuine.replacing(attestationObject: changed))
            #expect(accepted == nil || accepted?.credential.id == vector.credentialId)
        }
    }

    @Test(arguments: SpecificationVector.all)
    func `a bit flipped in the client data never changes challenge, origin or type`(
        vector: SpecificationVector
    ) throws {
        let genuine = vector.registration.response
        let expected = try CollectedClientData(parsing: genuine.clientDataJSON.bytes)
        for changed in flips(of: genuine.clientDataJSON.bytes)
        where (try? vector.register(genuine.replacing(clientDataJSON: changed))) != nil {
            let client = try CollectedClientData(parsing: changed)
            #expect(client.challenge == expected.challenge && client.origin == expected.origin)
            #expect(client.type == expected.type)
        }
    }

    @Test(arguments: SpecificationVector.all)
    func `a registration cut short anywhere is refused`(vector: SpecificationVector) throws {
        let genuine = vector.registration.response
        for length in genuine.attestationObject.bytes.indices {
            let cut = Array(genuine.attestationObject.bytes.prefix(length))
            #expect(throws: WebAuthnError.self) { try vector.register(genuine.replacing(attestationObject: cut)) }
        }
        for length in genuine.clientDataJSON.bytes.indices {
            let cut = Array(genuine.clientDataJSON.bytes.prefix(length))
            #expect(throws: WebAuthnError.self) { try vector.register(genuine.replacing(clientDataJSON: cut)) }
        }
    }
}

enum AssertionPart: CaseIterable {
    case clientDataJSON, authenticatorData, signature

    func bytes(of response: AuthenticationResponseJSON) -> [UInt8] {
        switch self {
        case .clientDataJSON: response.clientDataJSON.bytes
        case .authenticatorData: response.authenticatorData.bytes
        case .signature: response.signature.bytes
        }
    }

    func replacing(in response: AuthenticationResponseJSON, with bytes: [UInt8]) -> AuthenticationResponseJSON {
        let new = Base64URL(bytes: bytes)
        return AuthenticationResponseJSON(
            id: response.id,
            clientDataJSON: self == .clientDataJSON ? new : response.clientDataJSON,
            authenticatorData: self == .authenticatorData ? new : response.authenticatorData,
            signature: self == .signature ? new : response.signature,
            userHandle: response.userHandle
        )
    }
}

extension RegistrationResponseJSON {
    func replacing(clientDataJSON: [UInt8]? = nil, attestationObject: [UInt8]? = nil) -> RegistrationResponseJSON {
        RegistrationResponseJSON(
            id: id,
            clientDataJSON: clientDataJSON.map(Base64URL.init(bytes:)) ?? self.clientDataJSON,
            attestationObject: attestationObject.map(Base64URL.init(bytes:)) ?? self.attestationObject
        )
    }
}

/// Every copy of `bytes` that differs in one bit.
func flips(of bytes: [UInt8]) -> some Sequence<[UInt8]> {
    (0..<(bytes.count * 8)).lazy.map { bit in
        var changed = bytes
        changed[bit / 8] ^= 1 << (bit % 8)
        return changed
    }
}
