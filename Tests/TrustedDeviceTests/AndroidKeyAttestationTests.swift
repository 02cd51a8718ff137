import Crypto
import GatehouseKit
import GatehouseTesting
import Testing
import TrustedDeviceProvider

struct AndroidKeyAttestationTests {
    typealias Change = @Sendable (inout AndroidKeyStatement) -> Void

    let attested: AttestedSite

    init() throws { attested = try AttestedSite() }

    private func refusal(_ change: (inout AndroidKeyStatement) -> Void) throws -> String? {
        try AttestedSite.refusal { try attested.enrolAndroid(change) }
    }

    @Test func `a key that hardware vouches for, unlocked by a finger each time, is two factors`() throws {
        let expected = Proof(
            factors: [.possession, .inherence],
            phishingResistant: true,
            userVerified: true,
            deviceBound: true,
            attested: true
        )
        #expect(try attested.enrolAndroid().proof == expected)
        #expect(try attested.enrolAndroid { ($0.attestationLevel, $0.keyLevel) = (2, 2) }.proof == expected)
    }

    @Test func `what is stored of an attestation counts when the device signs in`() throws {
        let key = SigningKey(.es256)
        let new = try attested.enrolAndroid(key: key)
        let record = attested.site.vault.store(new, of: attested.site.alice)
        let draft = DeviceSite.draft(String(decoding: record.key, as: UTF8.self))
        let signature = key.signRaw(try attested.site.clientData(in: draft))
        let credential = DeviceSite.credential(draft.deviceID ?? "", signature)
        #expect(try attested.site.verify(credential, in: draft).proof == new.proof)
    }

    static let unlocking: [(String, Change)] = [
        ("no user is asked", { $0.hardware[503] = .element(tag: 0x05, []) }),
        ("once is good for a while", { $0.hardware[505] = .integer(30) }),
        ("carrying it is good enough", { $0.hardware[506] = .element(tag: 0x05, []) }),
        ("nothing is said of the user", { $0.hardware[504] = nil }),
        (
            "the system says it, not the hardware",
            {
                $0.software = [AndroidKeyStatement.entry(504, $0.hardware.removeValue(forKey: 504) ?? .integer(2))]
            }
        ),
        ("a code does as well", { $0.hardware[504] = .integer(3) }),
        ("a code does", { $0.hardware[504] = .integer(1) }),
        ("another way", { $0.hardware[504] = .integer(4) }),
        ("nobody", { $0.hardware[504] = .integer(0) }),
    ]

    @Test(arguments: unlocking.indices)
    func `an attested key with a weaker lock is one factor`(index: Int) throws {
        let proof = try attested.enrolAndroid(Self.unlocking[index].1).proof
        #expect(proof.factors == .possession && !proof.userVerified && proof.attested, "\(Self.unlocking[index].0)")
    }

    @Test func `what counts as a second factor is configured`() throws {
        let none = try AttestedSite(secondFactors: [])
        #expect(try none.enrolAndroid().proof.factors == .possession)
        let any = try AttestedSite(secondFactors: [.biometric, .biometricOrPasscode])
        #expect(try any.enrolAndroid { $0.hardware[504] = .integer(3) }.proof.factors == [.possession, .inherence])
    }

    // MARK: Refused

    static let unsound: [(String, Change)] = [
        ("the attestation was made for another enrolment", { $0.challenge[0] ^= 1 }),
        ("the attestation was made for another enrolment", { $0.challenge = [] }),
        ("the attestation certificate describes no key", { $0.hardware[1] = .integer(2) }),
        (
            "the attestation certificate describes no key",
            { $0.software = [UInt32](repeating: 701, count: 2).map { AndroidKeyStatement.entry($0, .integer(1)) } }
        ),
        ("the attested key is no P-256 key", { $0.key = SigningKey(.es384) }),
    ]

    @Test(arguments: unsound.indices)
    func `a statement that is not of this enrolment is refused`(index: Int) throws {
        let (reason, change) = Self.unsound[index]
        #expect(try refusal(change) == "attestation_invalid: \(reason)")
    }

    static let untrusted: [(String, Change)] = [
        ("the key is not kept in hardware", { $0.keyLevel = 0 }),
        ("the key is not kept in hardware", { $0.attestationLevel = 0 }),
        ("the key is not kept in hardware", { $0.keyLevel = 9 }),
        ("the key was not made where it is kept", { $0.hardware[702] = .integer(2) }),
        ("the key was not made where it is kept", { $0.hardware[702] = nil }),
        ("the key is not for signing", { $0.hardware[1] = .set(.integer(3)) }),
        ("the key is not for signing", { $0.hardware[1] = nil }),
        ("the key is for all applications", { $0.hardware[600] = .element(tag: 0x05, []) }),
        (
            "the key is for all applications",
            {
                $0.software = [AndroidKeyStatement.entry(600, .element(tag: 0x05, []))]
            }
        ),
        ("the device doesn't say what it started from", { $0.hardware[704] = nil }),
        ("the device doesn't say what it started from", { $0.hardware[704] = .sequence(.boolean(true)) }),
        (
            "the device started something unverified",
            { $0.hardware[704] = AndroidKeyStatement.rootOfTrust(isLocked: false) }
        ),
        ("the device started something unverified", { $0.hardware[704] = AndroidKeyStatement.rootOfTrust(state: 1) }),
        ("the device started something unverified", { $0.hardware[704] = AndroidKeyStatement.rootOfTrust(state: 2) }),
        ("the device started something unverified", { $0.hardware[704] = AndroidKeyStatement.rootOfTrust(state: 3) }),
        ("the key belongs to another app", { $0.application.packages = ["test.example.other"] }),
        ("the key belongs to another app", { $0.application.packages.append("test.example.other") }),
        ("the key belongs to another app", { $0.application.packages = [] }),
        ("the key belongs to another app", { $0.application.digests = [[UInt8](repeating: 1, count: 32)] }),
        ("the key belongs to another app", { $0.application.digests.append([UInt8](repeating: 1, count: 32)) }),
        ("the key belongs to another app", { $0.application.digests = [] }),
    ]

    @Test(arguments: untrusted.indices)
    func `a key that says too little for itself is refused`(index: Int) throws {
        let (reason, change) = Self.untrusted[index]
        #expect(try refusal(change) == "attestation_untrusted: \(reason)")
    }

    @Test func `another key than the attested one signs in vain`() throws {
        #expect(try refusal { $0.key = SigningKey(.es256) } == "signature_invalid: the signature is wrong")
    }

    @Test func `an attestation of another key than the one that was announced is refused`() throws {
        let key = SigningKey(.es256)
        let request = DeviceSite.request(key) { $0["platform"] = .string("android") }
        let (options, draft) = try attested.site.begin(request, for: attested.site.alice)
        let text = DeviceSite.text(options["clientData"])
        func enrol(_ other: SigningKey) throws -> NewCredential {
            let chain = AndroidKeyStatement(challenge: SHA256.hash(text), key: other).certificates(by: attested.android)
            return try attested.site.finish(key.sign(text), of: attested.site.alice, in: draft) {
                $0["attestation"] = AttestedSite.attestation(of: chain)
            }
        }
        let refusal = try AttestedSite.refusal { try enrol(SigningKey(.es256)) }
        #expect(refusal == "attestation_invalid: the attestation is for another key")
        _ = try enrol(key)
    }

    // MARK: Required or not

    @Test func `what is required can't be left out, and what is optional can`() throws {
        func enrol(_ attested: AttestedSite, _ attestation: JSONValue?) throws -> NewCredential {
            let key = SigningKey(.es256)
            let request = DeviceSite.request(key) { $0["platform"] = .string("android") }
            let (options, draft) = try attested.site.begin(request, for: attested.site.alice)
            let signature = key.sign(DeviceSite.text(options["clientData"]))
            return try attested.site.finish(signature, of: attested.site.alice, in: draft) {
                $0["attestation"] = attestation
            }
        }
        let missing = try AttestedSite.refusal { try enrol(attested, nil) }
        #expect(missing == "attestation_untrusted: the app has to attest to its key")
        let optional = try AttestedSite(isRequired: false)
        #expect(try enrol(optional, nil).proof.attested == false)
        #expect(try optional.enrolAndroid().proof.attested)
        let other = JSONValue.object(["format": .string("apple-appattest"), "object": .string("AA")])
        let unknown = JSONValue.object(["format": .string("safetynet")])
        for attestation in [other, unknown] {
            let refusal = try AttestedSite.refusal { try enrol(optional, attestation) }
            #expect(refusal == "attestation_invalid: an attestation of another format than the app's platform has")
        }
    }

    @Test func `a key may follow later only where Android attests to it`() throws {
        let site = try DeviceSite()
        let request = DeviceSite.request(SigningKey(.es256)) { $0["publicKeyJwk"] = nil }
        #expect(throws: SignInError.self) { try site.begin(request, for: site.alice) }
        let optional = try AttestedSite(isRequired: false)
        let android = DeviceSite.request(SigningKey(.es256)) {
            $0["platform"] = .string("android")
            $0["publicKeyJwk"] = nil
        }
        let (options, draft) = try optional.site.begin(android, for: optional.site.alice)
        let refusal = try AttestedSite.refusal {
            try optional.site.finish(
                SigningKey(.es256).sign(DeviceSite.text(options["clientData"])),
                of: optional.site.alice,
                in: draft
            )
        }
        #expect(refusal == "malformed_credential: there is no key")
    }
}
