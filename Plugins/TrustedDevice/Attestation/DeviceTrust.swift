public import Crypto
import GatehouseKit
import Wire

/// Whom the attestations of devices have to lead to.
public struct DeviceTrust: Sendable {
    let android: AndroidKeyAttestation
    let apple: AppAttest

    /// - Parameters:
    ///   - androidRoots: For Android's keystore; Google's by default.
    ///   - androidStatus: Which attestation keys were revoked; `nil` where nobody asks.
    ///   - appleRoots: For App Attest; Apple's by default.
    public init(
        androidRoots: [Certificate] = PlatformRoots.google,
        androidStatus: AndroidKeyStatus? = nil,
        appleRoots: [Certificate] = PlatformRoots.apple
    ) {
        android = AndroidKeyAttestation(roots: TrustAnchors(androidRoots), status: androidStatus)
        apple = AppAttest(roots: TrustAnchors(appleRoots))
    }
}

/// One chain for every format of statement.
extension CertificateChain {
    /// Reads what a statement carries, and follows it to an anchor.
    static func trusted(
        _ encodings: [[UInt8]],
        to anchors: TrustAnchors,
        at time: Int64
    ) throws(SignInError) -> CertificateChain {
        let chain: CertificateChain
        do throws(CertificateChainFault) { chain = try CertificateChain(encodings) } catch {
            throw .unsound("the certificates of the attestation can't be read")
        }
        do throws(CertificateChainFault) { try chain.validate(to: anchors, at: time) } catch {
            switch error {
            case .expired: throw .untrusted("an attestation certificate has expired")
            case .notYetValid: throw .untrusted("an attestation certificate is not valid yet")
            default: throw .untrusted("the attestation certificates lead to no trusted root")
            }
        }
        return chain
    }
}

extension DeviceKey.Coordinates {
    /// The key of a certificate, if it is one that a device may have.
    init?(_ certificate: Certificate) {
        guard case .elliptic(.p256, let x, let y) = certificate.fields.key else { return nil }
        self.init(x: Base64URL(bytes: x), y: Base64URL(bytes: y))
    }
}
