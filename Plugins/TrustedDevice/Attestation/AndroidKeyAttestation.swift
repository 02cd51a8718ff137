import Crypto
import GatehouseKit
import Wire

/// Checks what Android's keystore says of a key (source.android.com/docs/security/features/keystore/attestation, and
/// developer.android.com/privacy-and-security/security-key-attestation, read 2026-11).
///
/// The hardware vouches for the key itself: where it is kept, which app may use it, how its user is asked, and what the
/// device was started from.
struct AndroidKeyAttestation: Sendable {
    let roots: TrustAnchors
    let status: AndroidKeyStatus?

    /// What a certificate has to be about.
    struct Subject {
        let package: String
        let certificates: [[UInt8]]
        let challenge: [UInt8]
    }

    /// - Parameter encodings: In DER, the key's own first.
    func verify(
        _ encodings: [[UInt8]],
        of subject: Subject,
        at time: Int64
    ) throws(SignInError) -> (key: DeviceKey.Coordinates, attested: AttestedKey) {
        let chain = try CertificateChain.trusted(encodings, to: roots, at: time)
        try checkStatus(of: chain)
        let description = try Self.description(in: chain)
        guard description.challenge == subject.challenge else {
            throw .unsound("the attestation was made for another enrolment")
        }
        try Self.check(description)
        try Self.checkApplication(description, subject)
        guard let key = DeviceKey.Coordinates(chain.leaf) else { throw .unsound("the attested key is no P-256 key") }
        return (key, AttestedKey(format: .androidKey, unlock: description.hardwareEnforced.unlock))
    }

    /// Every certificate that came along is looked up, on the path or not.
    private func checkStatus(of chain: CertificateChain) throws(SignInError) {
        guard let status else { return }
        let serials = ([chain.leaf] + chain.others).map(\.fields.serialNumber)
        guard let isRevoked = status.revokes(anyOf: serials) else {
            throw .unavailable(ProviderFault("check attestation keys without their status", code: 0, kind: .dependency))
        }
        if isRevoked { throw .untrusted("an attestation certificate was revoked") }
    }

    /// The description in the leaf, and nowhere else.
    ///
    /// Whoever has an attested key can sign a certificate below its own with anything in it. The description that counts
    /// is therefore the one nearest to the root, and it has to be that of the key in question.
    private static func description(in chain: CertificateChain) throws(SignInError) -> AndroidKeyDescription {
        let type = AndroidKeyDescription.extensionType
        guard chain.others.allSatisfy({ $0.fields.firstExtension(type) == nil }) else {
            throw .untrusted("an attested key signed the attestation of another")
        }
        guard let stated = chain.leaf.fields.firstExtension(type),
            let description = AndroidKeyDescription(parsing: stated.value)
        else { throw .unsound("the attestation certificate describes no key") }
        return description
    }

    /// The key was made in hardware, by a device in the state its maker meant, for one app, to sign.
    private static func check(_ description: AndroidKeyDescription) throws(SignInError) {
        guard let attestation = description.attestationLevel, attestation >= .trustedEnvironment,
            let key = description.keyLevel, key >= .trustedEnvironment
        else { throw .untrusted("the key is not kept in hardware") }
        let (hardware, software) = (description.hardwareEnforced, description.softwareEnforced)
        guard hardware.origin == 0 else { throw .untrusted("the key was not made where it is kept") }
        guard hardware.purposes?.contains(2) == true else { throw .untrusted("the key is not for signing") }
        guard !hardware.isForAllApplications, !software.isForAllApplications else {
            throw .untrusted("the key is for all applications")
        }
        guard let root = hardware.rootOfTrust else { throw .untrusted("the device doesn't say what it started from") }
        guard root.isLocked, root.isVerified else { throw .untrusted("the device started something unverified") }
    }

    /// The system, whose state is attested, sees to it that an app uses its own keys alone.
    private static func checkApplication(
        _ description: AndroidKeyDescription,
        _ subject: Subject
    ) throws(SignInError) {
        guard let application = description.softwareEnforced.application,
            application.packages == [subject.package], !application.certificateDigests.isEmpty,
            application.certificateDigests.allSatisfy(subject.certificates.contains)
        else { throw .untrusted("the key belongs to another app") }
    }
}

extension AndroidKeyDescription.Authorizations {
    /// How the user is asked each time the key is used.
    fileprivate var unlock: UnlockPolicy? {
        guard !needsNoUser, !outlastsOneUse, let how = userAuthentication else { return nil }
        switch how {
        case .biometric: return .biometric
        case [.biometric, .password], .password: return .biometricOrPasscode
        default: return nil
        }
    }
}
