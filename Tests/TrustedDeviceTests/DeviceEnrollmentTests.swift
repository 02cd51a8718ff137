import GatehouseKit
import GatehouseTesting
import Testing
import TrustedDeviceProvider

struct DeviceEnrollmentTests {
    let site: DeviceSite
    let key = SigningKey(.es256)

    init() throws { site = try DeviceSite() }

    private func refusal(_ change: (inout JSONValue) -> Void) throws -> ProblemCode? {
        do {
            _ = try site.begin(DeviceSite.request(key, change), for: site.alice)
            return nil
        } catch SignInError.refused(let refusal) { return refusal.code }
    }

    @Test func `options name the new device, and are the same for nobody else`() throws {
        let (first, _) = try site.begin(DeviceSite.request(key), for: site.alice)
        let (second, _) = try site.begin(DeviceSite.request(key), for: site.alice)
        #expect(first.shape == "{algorithms:[string],clientData:string,deviceId:string}")
        #expect(first["algorithms"] == .array([.string("ES256")]))
        #expect(first["deviceId"]?.string?.utf8.count == 22 && first["deviceId"] != second["deviceId"])
    }

    @Test func `a device has to hold the key that it enrols`() throws {
        let (options, draft) = try site.begin(DeviceSite.request(key), for: site.alice)
        let signed = DeviceSite.text(options["clientData"])
        let expected = SignInError.refused(Refusal(.signatureInvalid, "the signature is wrong"))
        #expect(throws: expected) { try site.finish(SigningKey(.es256).sign(signed), of: site.alice, in: draft) }
        #expect(throws: expected) { try site.finish(key.sign(signed + [0]), of: site.alice, in: draft) }
        #expect(throws: expected) { try site.finish([], of: site.alice, in: draft) }
        _ = try site.finish(key.sign(signed), of: site.alice, in: draft)
    }

    @Test func `an enrolment that another account began is not finished`() throws {
        let (options, draft) = try site.begin(DeviceSite.request(key), for: site.alice)
        #expect(throws: SignInError.self) {
            try site.finish(key.sign(DeviceSite.text(options["clientData"])), of: site.bob, in: draft)
        }
    }

    // MARK: What a request may say

    static let keys: [(ProblemCode, String, JSONValue?)] = [
        (.malformedCredential, "kty", nil), (.malformedCredential, "crv", nil), (.malformedCredential, "x", nil),
        (.malformedCredential, "y", .number(4)), (.malformedCredential, "x", .string("")),
        (.malformedCredential, "x", .string("AQ")), (.malformedCredential, "y", .string("====")),
        (.malformedCredential, "x", .string("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")),
        (.malformedCredential, "d", .string("AQ")), (.unsupportedAlgorithm, "kty", .string("RSA")),
        (.unsupportedAlgorithm, "crv", .string("P-384")), (.unsupportedAlgorithm, "alg", .string("ES384")),
    ]

    @Test(arguments: keys.indices)
    func `another key than a P-256 public key is refused`(index: Int) throws {
        let (code, member, value) = Self.keys[index]
        #expect(try refusal { $0["publicKeyJwk"]?[member] = value } == code)
    }

    @Test func `members of a key that we don't know are no obstacle`() throws {
        #expect(try refusal { $0["publicKeyJwk"]?["kid"] = .string("1") } == nil)
        #expect(try refusal { $0["publicKeyJwk"]?["alg"] = nil } == nil)
    }

    @Test(arguments: [
        ("name", ""), ("name", String(repeating: "n", count: 65)), ("name", "a\u{7}"), ("platform", ""),
        ("platform", "iOS"), ("platform", String(repeating: "a", count: 33)), ("appId", ""), ("appId", "a b"),
        ("appId", "é"), ("appId", String(repeating: "a", count: 256)), ("unlockPolicy", "with space"),
        ("installationId", "short"), ("installationId", String(repeating: "A", count: 23) + "="),
    ])
    func `a value that no record can have is refused`(member: String, value: String) throws {
        #expect(try refusal { $0[member] = .string(value) } == .invalidValue)
    }

    @Test func `name, unlock policy and installation are optional`() throws {
        #expect(try refusal { $0["name"] = nil } == nil)
        #expect(try refusal { $0["unlockPolicy"] = .string("biometry_current_set") } == nil)
        #expect(try refusal { $0["installationId"] = .string(String(repeating: "A", count: 24)) } == nil)
    }

    @Test func `only the apps that are listed enrol devices, where any are`() throws {
        let site = try DeviceSite(TrustedDevicePolicy(apps: [DeviceApp(id: "test.example.app")]))
        _ = try site.enrol(for: site.alice)
        let expected = SignInError.refused(Refusal(.appNotAllowed, "the app may not enrol devices"))
        #expect(throws: expected) { try site.enrol(for: site.alice) { $0["appId"] = .string("test.example.other") } }
    }

    // MARK: One active device an installation

    @Test func `enrolling an installation again replaces its device, whoever it belonged to`() throws {
        let installation = JSONValue.string("0123456789abcdef01234567")
        let first = try site.enrol(for: site.alice) { $0["installationId"] = installation }
        let second = try site.enrol(for: site.bob) { $0["installationId"] = installation }
        #expect(site.vault.records.map(\.id) == [second.record.id])
        let draft = DeviceSite.draft(first.id)
        let signature = first.key.signRaw(try site.clientData(in: draft))
        #expect(try site.refusal(first.id, signature, in: draft) == .trustedDeviceUnknown)
    }

    @Test func `another app on the same installation, and another key, stay beside it`() throws {
        let installation = JSONValue.string("0123456789abcdef01234567")
        _ = try site.enrol(for: site.alice) { $0["installationId"] = installation }
        _ = try site.enrol(for: site.alice) {
            $0["installationId"] = installation
            $0["appId"] = .string("test.example.other")
        }
        _ = try site.enrol(for: site.alice, key: key)
        #expect(site.vault.records.count == 3)
        _ = try site.enrol(for: site.alice, key: key)
        #expect(site.vault.records.count == 3)
    }

    @Test func `a summary has every member`() throws {
        let device = try site.enrol(for: site.alice)
        let expected = JSONValue.object([
            "id": .string(device.record.id.text), "deviceId": .string(device.id), "name": .string("Alice's phone"),
            "platform": .string("ios"), "appId": .string("test.example.app"), "algorithm": .string("ES256"),
            "status": .string("active"), "createdAt": .string("2023-11-14T22:13:20.000Z"), "lastUsedAt": .null,
            "current": .bool(true), "attestation": .null, "unlockPolicy": .null,
        ])
        #expect(try JSONValue(encoding: site.provider.summary(of: device.record, isCurrent: true)) == expected)
        let unnamed = try site.enrol(for: site.alice) { $0["name"] = nil }
        let summary = try JSONValue(encoding: site.provider.summary(of: unnamed.record, isCurrent: false))
        #expect(summary["name"] == .string("Trusted device") && summary["current"] == .bool(false))
    }
}
