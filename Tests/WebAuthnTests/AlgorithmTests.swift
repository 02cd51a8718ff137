import GatehouseTesting
import Testing
import WebAuthn

struct AlgorithmTests {
    @Test(arguments: SigningKey.Algorithm.allCases)
    func `every algorithm that can be offered registers and signs in`(algorithm: SigningKey.Algorithm) throws {
        var site = Site()
        let own = COSEAlgorithm(rawValue: algorithm.rawValue)
        site.settings.algorithms = [algorithm]
        site.registrationExpectation.algorithms = [own]
        let authenticator = SoftAuthenticator(site.settings)
        let record = try site.register(authenticator).credential
        #expect(record.algorithm == own && COSEAlgorithm.supported.contains(own))
        _ = try site.signIn(authenticator, by: record)
    }

    @Test(arguments: SigningKey.Algorithm.allCases)
    func `an algorithm that was not offered is refused`(algorithm: SigningKey.Algorithm) throws {
        var site = Site()
        site.settings.algorithms = [algorithm]
        let authenticator = SoftAuthenticator(site.settings)
        site.registrationExpectation.algorithms = [COSEAlgorithm(rawValue: algorithm.rawValue)]
        let json = try site.createJSON(authenticator)
        site.registrationExpectation.algorithms = COSEAlgorithm.supported.filter { $0.rawValue != algorithm.rawValue }
        #expect(throws: WebAuthnError.algorithmNotOffered) { try site.verify(json) }
    }

    @Test func `nothing that is off by default is offered by default`() {
        #expect(COSEAlgorithm.defaults == [.es256, .edDSA, .rs256])
        #expect(Set(COSEAlgorithm.supported).count == SigningKey.Algorithm.allCases.count)
    }

    /// The registry "COSE Algorithms" of IANA.
    private static let registry = [
        "ES256": -7, "EdDSA": -8, "ESP256": -9, "Ed25519": -19, "ES384": -35, "ES512": -36, "PS256": -37, "ES256K": -47,
        "ESP384": -51, "ESP512": -52, "Ed448": -53, "RS256": -257,
    ]

    @Test func `every algorithm that can be offered has the name of the registry`() {
        let names = COSEAlgorithm.supported.map { ($0.name, $0.rawValue) }
        #expect(names.allSatisfy { name, value in name.flatMap { Self.registry[$0] } == value })
        #expect(Self.registry.allSatisfy { COSEAlgorithm(name: $0.key)?.rawValue == $0.value })
        #expect(Self.registry.count == names.count)
    }

    @Test(arguments: ["es256", "ED25519", "RS1", "RS512", "-7", "", "ES256 "])
    func `what can't be offered has no name`(name: String) {
        #expect(COSEAlgorithm(name: name) == nil)
    }

    @Test func `a credential that can leave its device is refused where that is not accepted`() throws {
        var site = Site()
        site.registrationExpectation.requiresDeviceBound = true
        _ = try site.register()
        site.settings.backupEligible = true
        #expect(throws: WebAuthnError.backupRefused) { try site.register() }
    }
}
