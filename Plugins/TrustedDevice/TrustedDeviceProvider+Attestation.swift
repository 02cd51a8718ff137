import Crypto
import GatehouseKit

extension TrustedDeviceProvider {
    /// What comes along with a registration, as far as the app's entry asks for it.
    ///
    /// - Parameter text: What was signed; an attestation is bound to its digest.
    /// - Returns: The key that was attested, if it is the device's own, and what is worth keeping.
    func attestation(
        _ stated: DeviceAttestation?,
        of draft: DeviceDraft,
        over text: String,
        at time: Int64
    ) throws(SignInError) -> (DeviceKey.Coordinates?, AttestedKey?) {
        let app: DeviceApp
        do throws(Refusal) { app = try policy.app(draft.appID, on: draft.platform) } catch { throw .refused(error) }
        guard let identity = app.attestation.identity else { return (nil, nil) }
        guard let stated else {
            guard case .optional = app.attestation else { throw .untrusted("the app has to attest to its key") }
            return (nil, nil)
        }
        let digest = SHA256.hash(Array(text.utf8))
        switch (stated, identity) {
        case (.androidKey(let chain), .android(let certificates)):
            let subject = AndroidKeyAttestation.Subject(
                package: draft.appID,
                certificates: certificates,
                challenge: digest
            )
            let (key, attested) = try policy.trust.android.verify(chain, of: subject, at: time)
            return (key, attested)
        case (.appAttest(let object), .apple(let team, let isDevelopment)):
            let subject = AppAttest.Subject(
                appID: "\(team).\(draft.appID)",
                isDevelopment: isDevelopment,
                clientDataHash: digest
            )
            try policy.trust.apple.verify(object, of: subject, at: time)
            return (
                nil, AttestedKey(format: .appAttest, unlock: draft.unlockPolicy.flatMap(UnlockPolicy.init(stated:)))
            )
        default: throw .unsound("an attestation of another format than the app's platform has")
        }
    }
}
