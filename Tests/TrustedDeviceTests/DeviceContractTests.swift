import Crypto
import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import Testing
import TrustedDeviceProvider
import Wire

struct DeviceContractTests {
    typealias Contract = ProviderContract<TrustedDeviceProvider>

    let site: DeviceSite
    let device: Device
    let draft: CeremonyDraft
    let contract: Contract
    /// Signatures for devices that aren't known: one that was revoked, and one that never was.
    let unknown: [Contract.Attempt]

    init() throws {
        site = try DeviceSite()
        device = try site.enrol(for: site.alice)
        draft = DeviceSite.draft(device.id)
        let signature = device.key.signRaw(try site.clientData(in: draft))
        contract = Contract(
            site.provider,
            vault: site.vault,
            good: Contract.Attempt("good", DeviceSite.credential(device.id, signature), in: draft),
            sealed: [SealedMember("signature", isSecret: true), SealedMember("deviceId", encoding: .text)]
        )
        let revoked = try site.enrol(for: site.alice)
        site.vault.remove(revoked.record.id)
        unknown = [revoked.id, "AAAAAAAAAAAAAAAAAAAAAA"].map {
            Contract.Attempt("device \($0)", DeviceSite.credential($0, signature), in: DeviceSite.draft($0))
        }
    }

    @Test func `a revoked device and one that never was are told the same`() {
        #expect(contract.toldApart(unknown) == [])
    }

    @Test func `an altered signature or device ID is refused`() throws {
        #expect(try contract.acceptedAlterations() == [])
    }

    @Test func `a failing vault is an outage`() throws {
        #expect(contract.misreportedOutages(in: unknown) == [])
        #expect(try contract.misreportedOutages(inOffersFor: [draft] + unknown.map(\.draft)) == [])
        site.vault.readsLeft = 0
        #expect(throws: MemoryVault.fault) { try site.provider.isKnown(.init(deviceId: device.id)) }
    }

    @Test func `no error holds the signature`() {
        #expect(contract.leaks(in: unknown) == [])
    }

    @Test func `an unknown device is asked what a known one is`() throws {
        #expect(try contract.offersToldApart(known: [draft], unknown: unknown.map(\.draft)) == [])
    }

    @Test func `what strangers are asked tells no decoy of another provider`() throws {
        let strange = DeviceSite.draft("first passkey\0nobody")
        let statement = try JSONValue(parsing: Data(site.clientData(in: strange)))
        let decoy = HMAC256(key: Array(0..<32)).code(for: Array("first passkey\0nobody".utf8))
        #expect(statement["accountId"]?.string != Base64URL(bytes: Array(decoy.prefix(16))).text)
    }
}
