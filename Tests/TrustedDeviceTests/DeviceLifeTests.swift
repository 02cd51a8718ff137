import GatehouseKit
import GatehouseTesting
import Testing
import TrustedDeviceProvider

struct DeviceLifeTests {
    let site: DeviceSite

    init() throws { site = try DeviceSite(TrustedDevicePolicy(idleLimit: .days(90))) }

    // MARK: Unused

    @Test func `a device that is unused for too long is told what an unknown one is`() throws {
        let device = try site.enrol(for: site.alice)
        let draft = DeviceSite.draft(device.id)
        let asked = try site.clientData(in: draft)
        site.clock.advance(by: .days(90))
        #expect(try site.clientData(in: draft) == asked)
        #expect(try site.refusal(device.id, device.key.signRaw(asked), in: draft) == nil)
        site.clock.advance(by: .seconds(1))
        #expect(try site.refusal(device.id, device.key.signRaw(asked), in: draft) == .trustedDeviceUnknown)
        #expect(try site.clientData(in: draft) != asked)
        let stranger = try site.refusal(device.id, device.key.signRaw(site.clientData(in: draft)), in: draft)
        #expect(stranger == .trustedDeviceUnknown)
        #expect(try !site.provider.isKnown(.init(deviceId: device.id)))
        #expect(!site.provider.canSignIn(with: device.record))
    }

    @Test func `it is listed as expired`() throws {
        let device = try site.enrol(for: site.alice)
        func status() throws -> JSONValue? {
            try JSONValue(encoding: site.provider.summary(of: device.record, isCurrent: false))["status"]
        }
        #expect(try status() == .string("active"))
        site.clock.advance(by: .days(91))
        #expect(try status() == .string("expired"))
    }

    // MARK: Another key

    private func rotate(
        _ device: Device,
        to key: SigningKey,
        signedBy former: SigningKey?,
        of account: AccountReference? = nil
    ) throws -> NewCredential {
        let account = account ?? site.alice
        let request = DeviceSite.request(key) { $0["rotates"] = .string(device.id) }
        let (options, draft) = try site.begin(request, for: account)
        #expect(options["deviceId"] == .string(device.id))
        let text = DeviceSite.text(options["clientData"])
        return try site.finish(key.sign(text), of: account, in: draft) {
            $0["formerSignature"] = former.map { DeviceSite.signature($0.signRaw(text)) }
        }
    }

    private func refusal(_ body: () throws -> NewCredential) throws -> ProblemCode? {
        do {
            _ = try body()
            return nil
        } catch SignInError.refused(let refusal) { return refusal.code }
    }

    @Test func `a device gets another key if both sign`() throws {
        let device = try site.enrol(for: site.alice)
        let key = SigningKey(.es256)
        #expect(try refusal { try rotate(device, to: key, signedBy: nil) } == .signatureInvalid)
        #expect(try refusal { try rotate(device, to: key, signedBy: key) } == .signatureInvalid)
        let new = try rotate(device, to: key, signedBy: device.key)
        #expect(new.replaces == device.record.id)
        site.vault.remove(device.record.id)
        site.vault.store(new, of: site.alice)
        let draft = DeviceSite.draft(device.id)
        let text = try site.clientData(in: draft)
        #expect(try site.refusal(device.id, device.key.signRaw(text), in: draft) == .signatureInvalid)
        #expect(try site.refusal(device.id, key.signRaw(text), in: draft) == nil)
    }

    @Test func `the key that a device has is no other key`() throws {
        let device = try site.enrol(for: site.alice)
        #expect(try refusal { try rotate(device, to: device.key, signedBy: device.key) } == .invalidValue)
    }

    @Test func `only the owner of a device that is known gives it another key`() throws {
        let device = try site.enrol(for: site.alice)
        let key = SigningKey(.es256)
        let unknown = ProblemCode.trustedDeviceUnknown
        #expect(try refusal { try rotate(device, to: key, signedBy: device.key, of: site.bob) } == unknown)
        let request = DeviceSite.request(key) {
            $0["rotates"] = .string(device.id)
            $0["appId"] = .string("test.example.other")
        }
        let otherApp = #expect(throws: SignInError.self) { try site.begin(request, for: site.alice) }
        guard case .refused(let refusal)? = otherApp else { return #expect(Bool(false)) }
        #expect(refusal.code == .invalidValue)
        site.clock.advance(by: .days(91))
        #expect(try self.refusal { try rotate(device, to: key, signedBy: device.key) } == unknown)
    }

    @Test func `a device that was revoked meanwhile gets no other key`() throws {
        let device = try site.enrol(for: site.alice)
        let key = SigningKey(.es256)
        let request = DeviceSite.request(key) { $0["rotates"] = .string(device.id) }
        let (options, draft) = try site.begin(request, for: site.alice)
        let text = DeviceSite.text(options["clientData"])
        site.vault.remove(device.record.id)
        let code = try refusal {
            try site.finish(key.sign(text), of: site.alice, in: draft) {
                $0["formerSignature"] = DeviceSite.signature(device.key.signRaw(text))
            }
        }
        #expect(code == .trustedDeviceUnknown)
    }

    // MARK: The installation

    @Test func `an installation that is enrolled is known as such`() throws {
        let text = "0123456789abcdef01234567"
        let installation = try #require(InstallationID(untrusted: text))
        let device = try site.enrol(for: site.alice) { $0["installationId"] = .string(text) }
        let other = try site.enrol(for: site.alice)
        #expect(try site.provider.isEnrolled(installation, among: [other.record, device.record]))
        #expect(try !site.provider.isEnrolled(installation, among: [other.record]))
    }
}
