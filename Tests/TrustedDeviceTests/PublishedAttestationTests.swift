import Crypto
import Foundation
import GatehouseKit
import Testing
import Wire

@testable import TrustedDeviceProvider

/// Attestations of real devices that others published; their source is named in the file.
struct PublishedAttestationTests {
    struct Vectors: Decodable {
        let android: [Android]
        let apple: [Apple]
    }

    struct Android: Decodable {
        let name: String
        /// Seconds since 1970.
        let at: Int64
        let x5c: [Data]
        let challenge: Data
        let package: String
        let certificate: Data

        var chain: [[UInt8]] { x5c.map { [UInt8]($0) } }

        func subject(package: String? = nil) -> AndroidKeyAttestation.Subject {
            .init(package: package ?? self.package, certificates: [[UInt8](certificate)], challenge: [UInt8](challenge))
        }
    }

    struct Apple: Decodable {
        let at: Int64
        let object: Data
        let clientDataHash: Data
        let appId: String

        func subject(_ appID: String? = nil, isDevelopment: Bool = true) -> AppAttest.Subject {
            .init(appID: appID ?? appId, isDevelopment: isDevelopment, clientDataHash: [UInt8](clientDataHash))
        }
    }

    let vectors: Vectors
    let trust = DeviceTrust()

    init() throws {
        let url = try #require(
            Bundle.module.url(forResource: "device-attestations", withExtension: "json", subdirectory: "Vectors")
        )
        vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: url))
    }

    private func android(_ name: String) throws -> Android {
        try #require(vectors.android.first { $0.name.hasSuffix(name) })
    }

    private func refusal(_ body: () throws -> Void) throws -> String? {
        do {
            try body()
            return nil
        } catch SignInError.refused(let refusal) { return refusal.reason.description }
    }

    @Test func `both roots of Google and that of Apple are there`() {
        #expect(PlatformRoots.google.count == 2 && PlatformRoots.apple.count == 1)
    }

    @Test(arguments: ["SB_EC_2026_ROOT", "TEE_EC_RKP"])
    func `a phone's attestation leads to Google`(name: String) throws {
        let sample = try android(name)
        let (key, attested) = try trust.android.verify(sample.chain, of: sample.subject(), at: sample.at)
        #expect(attested == AttestedKey(format: .androidKey, unlock: nil))
        #expect(try Certificate(der: sample.chain[0]).fields.key == .elliptic(.p256, x: key.x.bytes, y: key.y.bytes))
    }

    @Test(arguments: ["SB_EC_2026_ROOT", "TEE_EC_RKP"])
    func `and counts neither later, nor for another app, nor when it is altered`(name: String) throws {
        let sample = try android(name)
        func refusal(_ chain: [[UInt8]], package: String? = nil, at time: Int64) throws -> String? {
            try self.refusal { _ = try trust.android.verify(chain, of: sample.subject(package: package), at: time) }
        }
        #expect(try refusal(sample.chain, at: sample.at + 86_400 * 365) == "an attestation certificate has expired")
        #expect(try refusal(sample.chain, package: "test", at: sample.at) == "the key belongs to another app")
        var altered = sample.chain
        altered[0][altered[0].count - 1] ^= 1
        #expect(
            try refusal(altered, at: sample.at) == "the attestation certificates lead to no trusted root"
        )
    }

    @Test func `a phone that started something unverified is refused`() throws {
        let sample = try android("TEE_EC_NONE")
        let reason = try refusal {
            _ = try trust.android.verify(sample.chain, of: sample.subject(), at: sample.at)
        }
        #expect(reason == "the device started something unverified")
    }

    @Test func `a real description says how the user is asked`() throws {
        let leaf = try Certificate(der: try android("TEE_RSA_NONE_USERAUTH").chain[0])
        let value = try #require(leaf.fields.firstExtension(AndroidKeyDescription.extensionType)?.value)
        let hardware = try #require(AndroidKeyDescription(parsing: value)).hardwareEnforced
        #expect(hardware.userAuthentication == .password && hardware.outlastsOneUse && !hardware.needsNoUser)
    }

    @Test func `an app's attestation leads to Apple, for its own app and environment`() throws {
        let sample = try #require(vectors.apple.first)
        let object = [UInt8](sample.object)
        func refusal(_ object: [UInt8], _ subject: AppAttest.Subject, at time: Int64) throws -> String? {
            try self.refusal { try trust.apple.verify(object, of: subject, at: time) }
        }
        #expect(try refusal(object, sample.subject(), at: sample.at) == nil)
        #expect(
            try refusal(object, sample.subject(isDevelopment: false), at: sample.at)
                == "the attestation is of another environment"
        )
        #expect(try refusal(object, sample.subject("A.b"), at: sample.at) == "the attestation is of another app")
        #expect(
            try refusal(object, sample.subject(), at: sample.at + 86_400 * 30)
                == "an attestation certificate has expired"
        )
        for length in stride(from: 0, to: object.count, by: 7) {
            #expect(try refusal(Array(object.prefix(length)), sample.subject(), at: sample.at) != nil)
        }
    }
}
