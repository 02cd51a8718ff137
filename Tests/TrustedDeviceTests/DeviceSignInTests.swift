import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import Testing
import TrustedDeviceProvider

struct DeviceSignInTests {
    let site: DeviceSite
    let device: Device
    let draft: CeremonyDraft

    init() throws {
        site = try DeviceSite()
        device = try site.enrol(for: site.alice)
        draft = DeviceSite.draft(device.id)
    }

    /// What signing a text instead of the one that was given leads to.
    private func refusal(signing text: [UInt8]) throws -> ProblemCode? {
        try site.refusal(device.id, device.key.signRaw(text), in: draft)
    }

    @Test func `a device signs in and proves that it is there`() throws {
        let signature = device.key.signRaw(try site.clientData(in: draft))
        let evidence = try site.verify(DeviceSite.credential(device.id, signature), in: draft)
        let proof = Proof(factors: .possession, phishingResistant: true, deviceBound: true)
        #expect(evidence == Evidence(account: site.alice.id, credential: device.record.id, proof: proof))
    }

    @Test(arguments: [true, false])
    func `either value of s is taken`(isHigh: Bool) throws {
        for _ in 0..<8 {
            let signature = device.key.signRaw(try site.clientData(in: draft), wantsHighS: isHigh)
            #expect(try site.refusal(device.id, signature, in: draft) == nil)
        }
    }

    @Test func `a signature in DER is taken`() throws {
        for _ in 0..<32 {
            #expect(try site.refusal(device.id, device.key.sign(site.clientData(in: draft)), in: draft) == nil)
        }
    }

    @Test func `the client data names everything that it is good for`() throws {
        let text = try site.clientData(in: draft)
        let expected = """
            {"accountId":"\(site.alice.id)","audience":"https://auth.example.test","ceremonyId":"\(draft.id)",\
            "challenge":"\(try #require(try JSONValue(parsing: Data(text))["challenge"]?.string))",\
            "deviceId":"\(device.id)","expiresAt":"2027-01-15T08:05:00.000Z","purpose":"trusted-device-sign-in"}
            """
        #expect(String(decoding: text, as: UTF8.self) == expected)
    }

    // MARK: Signed for something else

    @Test func `a signature for another ceremony is refused`() throws {
        #expect(try refusal(signing: site.clientData(in: DeviceSite.draft(device.id))) == .signatureInvalid)
    }

    @Test func `a signature for another gateway is refused`() throws {
        let other = try DeviceSite.provider(site.vault, audience: "https://other.example.test")
        #expect(try refusal(signing: site.clientData(in: draft, from: other)) == .signatureInvalid)
    }

    @Test(arguments: ["purpose", "challenge", "deviceId", "accountId", "ceremonyId", "expiresAt"])
    func `a signature over any other statement is refused`(member: String) throws {
        var statement = try JSONValue(parsing: Data(site.clientData(in: draft)))
        statement[member] = .string("trusted-device-enrollment")
        #expect(try refusal(signing: [UInt8](statement.encoded)) == .signatureInvalid)
        statement[member] = nil
        #expect(try refusal(signing: [UInt8](statement.encoded)) == .signatureInvalid)
    }

    @Test func `the signature of an enrolment is no sign-in`() throws {
        let (options, enrolment) = try site.begin(DeviceSite.request(device.key), for: site.alice)
        let signature = device.key.signRaw(DeviceSite.text(options["clientData"]))
        var signIn = enrolment
        signIn.account = nil
        signIn.deviceID = device.id
        #expect(try site.refusal(device.id, signature, in: signIn) == .signatureInvalid)
    }

    @Test func `another device's signature is refused`() throws {
        let other = try site.enrol(for: site.alice)
        let signature = other.key.signRaw(try site.clientData(in: draft))
        #expect(try site.refusal(device.id, signature, in: draft) == .signatureInvalid)
        #expect(try site.refusal(other.id, signature, in: draft) == .credentialRejected)
        #expect(try site.refusal(device.id, signature, in: CeremonyDraft()) == .credentialRejected)
    }

    // MARK: Whose device

    @Test func `a revoked device is told to remove its key`() throws {
        let signature = device.key.signRaw(try site.clientData(in: draft))
        site.vault.remove(device.record.id)
        let expected = Refusal(.trustedDeviceUnknown, "no such device", remedy: .unknownDevice(id: device.id))
        #expect(throws: SignInError.refused(expected)) {
            try site.verify(DeviceSite.credential(device.id, signature), in: draft)
        }
    }

    @Test(arguments: ["bob", "nobody"])
    func `a device proves nothing under the name of someone else`(name: String) throws {
        var named = draft
        named.identifier = .claimed(name)
        let signature = device.key.signRaw(try site.clientData(in: named))
        #expect(try site.refusal(device.id, signature, in: named) == .credentialRejected)
        named.identifier = .claimed("alice")
        #expect(try site.refusal(device.id, signature, in: named) == nil)
    }

    @Test func `a step-up takes the devices of its account only`() throws {
        var stepUp = draft
        stepUp.account = site.bob
        let signature = device.key.signRaw(try site.clientData(in: stepUp))
        #expect(try site.refusal(device.id, signature, in: stepUp) == .ceremonyAccountMismatch)
        stepUp.account = site.alice
        #expect(try site.refusal(device.id, signature, in: stepUp) == nil)
    }

    @Test func `no device is asked where none wants to sign in`() throws {
        let draft = CeremonyDraft.named("alice")
        #expect(try site.provider.offer(to: draft.visitor, ceremony: draft.ceremony) == nil)
    }

    @Test func `an app can ask whether its device is known, at one read`() throws {
        for (id, isKnown) in [(device.id, true), ("AAAAAAAAAAAAAAAAAAAAAA", false), ("", false), ("é", false)] {
            let before = site.vault.reads
            #expect(try site.provider.isKnown(.init(deviceId: id)) == isKnown)
            #expect(site.vault.reads == before + 1)
        }
    }
}
