import Crypto
import GatehouseKit
import GatehouseTesting
import Testing
import TrustedDeviceProvider

struct AppAttestTests {
    typealias Change = @Sendable (inout AppAttestDraft) -> Void

    let attested: AttestedSite

    init() throws { attested = try AttestedSite(platform: .ios) }

    @Test func `a key that a genuine app vouches for is worth what the app says`() throws {
        let proof = try attested.enrolApple().proof
        #expect(proof.factors == [.possession, .inherence] && proof.userVerified)
        // Apple vouches for the app, and not for what holds the key.
        #expect(!proof.attested)
        for policy in ["biometry_or_device_passcode", "none", nil] {
            #expect(try attested.enrolApple(unlockPolicy: policy).proof.factors == .possession)
        }
        #expect(try attested.enrolApple(unlockPolicy: "biometry_any").proof.factors == [.possession, .inherence])
    }

    @Test func `what the app says without an attestation is worth nothing`() throws {
        let site = try DeviceSite()
        let device = try site.enrol(for: site.alice) { $0["unlockPolicy"] = .string("biometry_current_set") }
        let draft = DeviceSite.draft(device.id)
        let signature = device.key.signRaw(try site.clientData(in: draft))
        let evidence = try site.verify(DeviceSite.credential(device.id, signature), in: draft)
        #expect(evidence.proof.factors == .possession)
    }

    /// Seen in Apple's own sample: the extensions are there, and the flag isn't.
    @Test func `what newer systems append is no obstacle`() throws {
        let extensions = CBORItem.map([(.text("apple_bundle_version_01"), .text("1"))]).encoded
        #expect(try AttestedSite.refusal { try attested.enrolApple { $0.trailing = extensions } } == nil)
    }

    static let refused: [(String, Change)] = [
        ("attestation_invalid: the attestation is not one of its format", { $0.format = "apple" }),
        ("attestation_invalid: the attestation was made for another enrolment", { $0.clientDataHash[31] ^= 1 }),
        ("attestation_invalid: the attestation was made for another enrolment", { $0.nonce = { $0[0] ^= 1 } }),
        ("attestation_invalid: the attestation was made for another enrolment", { $0.nonce = { $0 = [] } }),
        ("attestation_invalid: the attested key is no P-256 key", { $0.certified = SigningKey(.es384) }),
        ("attestation_invalid: the attestation is for another key", { $0.certified = SigningKey(.es256) }),
        (
            "attestation_invalid: the attestation is for another key",
            {
                $0.credentialID = [UInt8](repeating: 1, count: 32)
            }
        ),
        ("attestation_untrusted: the attestation is of another app", { $0.appID = "ABCDE12345.test.example.other" }),
        ("attestation_untrusted: the attestation is of another app", { $0.appID = "ZZZZZ12345.test.example.app" }),
        ("attestation_untrusted: the attested key was used before", { $0.counter = 1 }),
        (
            "attestation_untrusted: the attestation is of another environment",
            {
                $0.environment = Array("appattestdevelop".utf8)
            }
        ),
    ]

    @Test(arguments: refused.indices)
    func `an attestation of something else is refused`(index: Int) throws {
        let (reason, change) = Self.refused[index]
        #expect(try AttestedSite.refusal { try attested.enrolApple(change) } == reason)
        #expect(try AttestedSite.refusal { try attested.enrolApple() } == nil)
    }

    @Test func `certificates that lead nowhere are refused`() throws {
        let stranger = CertificateIssuer("Apple Root")
        let refusal = try AttestedSite.refusal { try attested.enrolApple(issuer: stranger) }
        #expect(refusal == "attestation_untrusted: the attestation certificates lead to no trusted root")
    }

    @Test func `a statement names the key and its lock`() throws {
        let key = SigningKey(.es256)
        let (options, _) = try attested.site.begin(
            DeviceSite.request(key) { $0["unlockPolicy"] = .string("biometry_any") },
            for: attested.site.alice
        )
        let text = options["clientData"]?.string ?? ""
        #expect(text.contains("\"keyThumbprint\":\"") && text.contains("\"unlockPolicy\":\"biometry_any\""))
        let (other, _) = try attested.site.begin(DeviceSite.request(SigningKey(.es256)), for: attested.site.alice)
        let thumbprint = text.split(separator: "\"keyThumbprint\":\"").last?.prefix(43) ?? ""
        #expect(thumbprint.utf8.count == 43 && other["clientData"]?.string?.contains(thumbprint) == false)
    }
}
