import Foundation
import GatehouseTesting
import Testing
import WebAuthn
import Wire

/// The tests' own authenticator does what a real one does, where tests rely on it.
struct SoftAuthenticatorTests {
    @Test func `it takes the credential that the allow list names`() throws {
        var site = Site()
        let authenticator = SoftAuthenticator()
        let first = try site.register(authenticator).credential
        let second = try site.register(authenticator).credential
        #expect(try site.signIn(authenticator, by: second).credential.id == second.id)
        site.assertionExpectation.allowedCredentials = [first.id]
        #expect(try site.signIn(authenticator, by: first).credential.id == first.id)
    }

    @Test func `it refuses to register where it is excluded`() throws {
        let site = Site()
        let authenticator = SoftAuthenticator()
        let record = try site.register(authenticator).credential
        var options = site.creationOptions
        options.excludeCredentials = [PublicKeyCredentialDescriptor(record)]
        let json = try JSONEncoder().encode(options)
        #expect(throws: SoftAuthenticator.Failure.alreadyRegistered) {
            try authenticator.create(optionsJSON: json, origin: Site.origin)
        }
    }

    @Test func `a credential that is not discoverable needs an allow list and tells no user handle`() throws {
        var site = Site()
        site.residentKey = .discouraged
        let authenticator = SoftAuthenticator()
        let registered = try site.register(authenticator)
        #expect(registered.discoverability == .notDiscoverable)
        #expect(throws: SoftAuthenticator.Failure.noCredential) { try site.getJSON(authenticator) }
        site.assertionExpectation.allowedCredentials = [registered.credential.id]
        #expect(throws: WebAuthnError.userHandleMissing) {
            try site.signIn(authenticator, by: registered.credential)
        }
        site.assertionExpectation.userIsIdentified = true
        _ = try site.signIn(authenticator, by: registered.credential)
    }
}

/// Parsers are fed what nobody would send, from a seed, so that a failure repeats itself.
struct HostileInputTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `no garbled registration traps or is taken for another credential`(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let vector = try #require(SpecificationVector.all.first)
        let genuine = vector.registration.response
        for _ in 0..<5_000 {
            let object = garbled(genuine.attestationObject.bytes, &generator)
            let accepted = try? vector.register(genuine.replacing(attestationObject: object))
            #expect(accepted == nil || accepted?.credential.id == vector.credentialId)
            let client = garbled(genuine.clientDataJSON.bytes, &generator)
            _ = try? vector.register(genuine.replacing(clientDataJSON: client))
            _ = try? COSEKey(parsing: garbled(vector.publicKey.bytes, &generator))
        }
    }

    /// Changes, drops, repeats or inserts a few bytes.
    private func garbled(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[place] = .random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(.random(in: 0...255, using: &generator), at: place)
            default: bytes.append(contentsOf: bytes[place...].prefix(8))
            }
        }
        return bytes
    }
}

/// SplitMix64: good enough to vary input, and the same everywhere.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
