import Crypto
import GatehouseKit
import Wire

/// Checks an attestation of Apple's App Attest (developer.apple.com/documentation/devicecheck/
/// validating-apps-that-connect-to-your-server, "Verify the attestation", read 2026-11).
///
/// Apple vouches for an unaltered instance of the app and for a key of App Attest's own, never for a key that the app made
/// in the Secure Enclave. What ties the two together is the hash: the app has the very statement attested that names its
/// device key and how it is unlocked. So the device key is as good as the app's word, and the app is a genuine one.
struct AppAttest: Sendable {
    let roots: TrustAnchors

    /// What a statement has to be about.
    struct Subject {
        /// Team and bundle identifier, with a dot between them.
        let appID: String
        let isDevelopment: Bool
        /// SHA-256 of the text that was attested.
        let clientDataHash: [UInt8]
    }

    static let format = AttestedKey.Format.appAttest.rawValue

    func verify(_ object: [UInt8], of subject: Subject, at time: Int64) throws(SignInError) {
        guard let statement = AppAttestStatement(parsing: object) else {
            throw .unsound("the attestation is not one of its format")
        }
        let chain = try CertificateChain.trusted(statement.certificates, to: roots, at: time)
        guard let nonce = chain.leaf.fields.appleNonce,
            nonce == SHA256.hash(statement.authenticatorData + subject.clientDataHash)
        else { throw .unsound("the attestation was made for another enrolment") }
        guard let key = DeviceKey.Coordinates(chain.leaf) else { throw .unsound("the attested key is no P-256 key") }
        guard statement.credentialID == SHA256.hash([0x04] + key.x.bytes + key.y.bytes) else {
            throw .unsound("the attestation is for another key")
        }
        guard statement.appIDHash == SHA256.hash(Array(subject.appID.utf8)) else {
            throw .untrusted("the attestation is of another app")
        }
        guard statement.counter == 0 else { throw .untrusted("the attested key was used before") }
        guard statement.environment == Self.environment(isDevelopment: subject.isDevelopment) else {
            throw .untrusted("the attestation is of another environment")
        }
    }

    /// The AAGUID of App Attest's two environments, 16 bytes.
    private static func environment(isDevelopment: Bool) -> [UInt8] {
        isDevelopment ? Array("appattestdevelop".utf8) : Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
    }
}

/// An attestation object of App Attest, parsed and not checked.
struct AppAttestStatement {
    /// In DER, the leaf first.
    let certificates: [[UInt8]]
    let authenticatorData: [UInt8]
    let appIDHash: [UInt8]
    let counter: UInt32
    let environment: [UInt8]
    let credentialID: [UInt8]

    /// - Returns: `nil` if it isn't one.
    init?(parsing object: [UInt8]) {
        guard let map = (try? CBORValue(decoding: object.span))?.map, map["fmt"]?.string == AppAttest.format,
            case .array(let items)? = map["attStmt"]?.map?["x5c"], let data = map["authData"]?.byteString
        else { return nil }
        certificates = items.compactMap(\.byteString)
        guard certificates.count == items.count else { return nil }
        authenticatorData = data
        do throws(WireFault) {
            var reader = ByteReader(data.span)
            appIDHash = try reader.take(32, data.span)
            _ = try reader.readUInt8(data.span)
            counter = try reader.readInteger(UInt32.self, data.span)
            environment = try reader.take(16, data.span)
            let length = try reader.readInteger(UInt16.self, data.span)
            credentialID = try reader.take(Int(length), data.span)
        } catch { return nil }
        // The key and what may follow it stay unread: the certificate holds the key, and newer systems append extension
        // outputs without the flag that WebAuthn asks for.
    }
}
