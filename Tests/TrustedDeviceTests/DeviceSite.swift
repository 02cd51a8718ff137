import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import TrustedDeviceProvider
import Wire

/// A device in the hand of its user: a key, and what it was told to call itself.
struct Device {
    let key: SigningKey
    let id: String
    let record: CredentialRecord
}

/// A gateway's trusted devices with the accounts alice and bob, who have none yet.
struct DeviceSite {
    let vault: MemoryVault
    let provider: TrustedDeviceProvider
    let alice: AccountReference
    let bob: AccountReference

    /// When the records of a test's vault are made.
    static let start: Int64 = 1_700_000_000_000

    /// What time it is.
    let clock: ManualClock

    init(_ policy: TrustedDevicePolicy = TrustedDevicePolicy()) throws {
        vault = MemoryVault()
        clock = ManualClock(Self.start)
        alice = vault.addAccount("alice")
        bob = vault.addAccount("bob")
        provider = try Self.provider(vault, audience: "https://auth.example.test", policy, clock)
    }

    static func provider(
        _ vault: MemoryVault,
        audience: String,
        _ policy: TrustedDevicePolicy = TrustedDevicePolicy(),
        _ clock: ManualClock = ManualClock(start)
    ) throws -> TrustedDeviceProvider {
        guard let origin = WebOrigin(audience) else { throw SoftAuthenticator.Failure.badOptions }
        return TrustedDeviceProvider(
            audience: origin,
            vault: vault,
            decoyKey: Array(0..<32),
            policy: policy,
            clock: clock
        )
    }

    /// The body of the first call of an enrolment.
    static func request(_ key: SigningKey, _ change: (inout JSONValue) -> Void = { _ in }) -> JSONValue {
        var request = JSONValue.object([
            "name": .string("Alice's phone"), "platform": .string("ios"), "appId": .string("test.example.app"),
            "publicKeyJwk": key.jwk,
        ])
        change(&request)
        return request
    }

    /// What the first call of an enrolment answers, and the ceremony as it is then stored.
    func begin(_ request: JSONValue, for account: AccountReference) throws -> (options: JSONValue, draft: CeremonyDraft)
    {
        let draft = CeremonyDraft.of(account)
        let start = try provider.beginEnrollment(
            JSONDecoder().decode(TrustedDeviceProvider.Request.self, from: request.encoded),
            of: account,
            existing: vault.records(of: account.id),
            ceremony: draft.ceremony
        )
        return (try JSONValue(encoding: start.options), draft.keeping(memo: start.memo))
    }

    func finish(
        _ signature: [UInt8],
        of account: AccountReference,
        in draft: CeremonyDraft,
        _ change: (inout JSONValue) -> Void = { _ in }
    ) throws -> NewCredential {
        var response = JSONValue.object(["signature": .string(Base64URL(bytes: signature).text)])
        change(&response)
        return try provider.finishEnrollment(
            JSONDecoder().decode(TrustedDeviceProvider.Registration.self, from: response.encoded),
            of: account,
            ceremony: draft.ceremony
        )
    }

    /// Enrols and stores a device.
    func enrol(
        for account: AccountReference,
        key: SigningKey = SigningKey(.es256),
        _ change: (inout JSONValue) -> Void = { _ in }
    ) throws -> Device {
        let (options, draft) = try begin(Self.request(key, change), for: account)
        let new = try finish(key.signRaw(Self.text(options["clientData"])), of: account, in: draft)
        return Device(key: key, id: options["deviceId"]?.string ?? "", record: vault.store(new, of: account))
    }

    /// A plain sign-in ceremony of a device.
    static func draft(_ id: String) -> CeremonyDraft { CeremonyDraft { $0.deviceID = id } }

    static func text(_ value: JSONValue?) -> [UInt8] { Array((value?.string ?? "").utf8) }

    /// The text to sign in a ceremony.
    func clientData(in draft: CeremonyDraft, from other: TrustedDeviceProvider? = nil) throws -> [UInt8] {
        let offer = try (other ?? provider).offer(to: draft.visitor, ceremony: draft.ceremony)
        return Self.text(try JSONValue(encoding: offer)["clientData"])
    }

    static func signature(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL(bytes: bytes).text) }

    static func credential(_ id: String, _ signature: [UInt8]) -> JSONValue {
        .object([
            "kind": .string("trusted-device"), "deviceId": .string(id),
            "signature": .string(Base64URL(bytes: signature).text),
        ])
    }

    func verify(_ credential: JSONValue, in draft: CeremonyDraft) throws -> Evidence {
        let decoded = try JSONDecoder().decode(TrustedDeviceProvider.Credential.self, from: credential.encoded)
        return try provider.verify(decoded, ceremony: draft.ceremony)
    }

    /// The code with which a signature is refused; `nil` if it isn't.
    func refusal(_ id: String, _ signature: [UInt8], in draft: CeremonyDraft) throws -> ProblemCode? {
        do {
            _ = try verify(Self.credential(id, signature), in: draft)
            return nil
        } catch SignInError.refused(let refusal) { return refusal.code }
    }
}
