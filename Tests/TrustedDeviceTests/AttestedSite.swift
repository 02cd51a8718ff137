import Crypto
import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import TrustedDeviceProvider
import Wire

/// A gateway that wants its devices attested, by makers of its own.
struct AttestedSite {
    static let appID = "test.example.app"
    static let teamID = "ABCDE12345"

    let android = CertificateIssuer("Android Root")
    let apple = CertificateIssuer("Apple Root")
    let site: DeviceSite

    init(
        isRequired: Bool = true,
        platform: DeviceApp.Platform = .android,
        status: AndroidKeyStatus? = nil,
        secondFactors: Set<UnlockPolicy> = [.biometric]
    ) throws {
        let identity: DeviceApp.Identity =
            platform == .android
            ? .android(certificates: [AndroidKeyStatement.certificate])
            : .apple(teamID: Self.teamID, isDevelopment: false)
        let app = DeviceApp(
            id: Self.appID,
            platform: platform,
            attestation: isRequired ? .required(identity) : .optional(identity)
        )
        site = try DeviceSite(
            TrustedDevicePolicy(
                apps: [app],
                trust: DeviceTrust(
                    androidRoots: [try Certificate(der: android.root)],
                    androidStatus: status,
                    appleRoots: [try Certificate(der: apple.root)]
                ),
                secondFactors: secondFactors
            )
        )
    }

    /// Enrols a key that the keystore makes once the statement is known.
    func enrolAndroid(
        key: SigningKey = SigningKey(.es256),
        _ change: (inout AndroidKeyStatement) -> Void = { _ in },
        certificates: ((AndroidKeyStatement) -> [[UInt8]])? = nil
    ) throws -> NewCredential {
        let request = DeviceSite.request(key) {
            $0["platform"] = .string("android")
            $0["publicKeyJwk"] = nil
        }
        let (options, draft) = try site.begin(request, for: site.alice)
        let text = DeviceSite.text(options["clientData"])
        var statement = AndroidKeyStatement(challenge: SHA256.hash(text), key: key)
        change(&statement)
        let chain = certificates?(statement) ?? statement.certificates(by: android)
        return try site.finish(key.sign(text), of: site.alice, in: draft) {
            $0["attestation"] = Self.attestation(of: chain)
        }
    }

    static func attestation(of chain: [[UInt8]]) -> JSONValue {
        .object([
            "format": .string("android-key"),
            "x5c": .array(chain.map { .string(Base64URL(bytes: $0).text) }),
        ])
    }

    /// Enrols a key that an app made before, and that the app vouches for.
    func enrolApple(
        unlockPolicy: String? = "biometry_current_set",
        issuer: CertificateIssuer? = nil,
        _ change: (inout AppAttestDraft) -> Void = { _ in }
    ) throws -> NewCredential {
        let key = SigningKey(.es256)
        let request = DeviceSite.request(key) { $0["unlockPolicy"] = unlockPolicy.map(JSONValue.string) }
        let (options, draft) = try site.begin(request, for: site.alice)
        let text = DeviceSite.text(options["clientData"])
        var statement = AppAttestDraft(clientDataHash: SHA256.hash(text))
        change(&statement)
        let object = statement.object(by: issuer ?? apple)
        return try site.finish(key.sign(text), of: site.alice, in: draft) {
            $0["attestation"] = .object([
                "format": .string("apple-appattest"), "object": .string(Base64URL(bytes: object).text),
            ])
        }
    }

    /// Why an enrolment is refused; `nil` if it isn't.
    static func refusal(_ enrol: () throws -> NewCredential) throws -> String? {
        do {
            _ = try enrol()
            return nil
        } catch SignInError.refused(let refusal) { return "\(refusal.code.rawValue): \(refusal.reason)" }
    }
}

/// What App Attest makes, sound by default.
struct AppAttestDraft {
    var clientDataHash: [UInt8]
    var format = "apple-appattest"
    var appID = "\(AttestedSite.teamID).\(AttestedSite.appID)"
    var counter: UInt8 = 0
    var environment = Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
    let key = SigningKey(.es256)
    var credentialID: [UInt8]?
    /// The key in the certificate.
    var certified: SigningKey?
    /// Changes to the nonce.
    var nonce: (inout [UInt8]) -> Void = { _ in }
    /// Comes after the key.
    var trailing: [UInt8] = []

    var authenticatorData: [UInt8] {
        let id = credentialID ?? SHA256.hash(key.publicBytes)
        return SHA256.hash(Array(appID.utf8)) + [0x40, 0, 0, 0, counter] + environment + [0, UInt8(id.count)] + id
            + key.coseKey.encoded + trailing
    }

    func object(by issuer: CertificateIssuer) -> [UInt8] {
        let data = authenticatorData
        var nonce = SHA256.hash(data + clientDataHash)
        self.nonce(&nonce)
        let leaf = CertificateDraft(of: certified ?? key) {
            $0.extensions.append(.extension("1.2.840.113635.100.8.2", .sequence(.explicit(1, .octets(nonce)))))
        }
        return CBORItem.map([
            (.text("fmt"), .text(format)),
            (
                .text("attStmt"),
                .map([
                    (.text("x5c"), .array([.bytes(leaf.issued(by: issuer))])), (.text("receipt"), .bytes([1, 2, 3])),
                ])
            ),
            (.text("authData"), .bytes(data)),
        ]).encoded
    }
}
