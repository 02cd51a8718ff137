import Crypto
public import GatehouseKit
public import Wire

/// Sign-in with a key that an app keeps on its device, and that the device unlocks for its user.
///
/// Not WebAuthn, and scoped to one installation of one app: the gateway writes a statement, the key signs it.
public struct TrustedDeviceProvider: OfferingProvider {
    public let kind = CredentialKind.trustedDevice

    let audience: WebOrigin
    let vault: any CredentialVault
    let policy: TrustedDevicePolicy
    let clock: any Clock
    private let strangers: HMAC256

    /// - Parameters:
    ///   - audience: The public origin, which is part of what devices sign.
    ///   - vault: The records of this provider.
    ///   - decoyKey: 32 random bytes that are kept; what an unknown device is asked to sign depends on them.
    public init(
        audience: WebOrigin,
        vault: any CredentialVault,
        decoyKey: [UInt8],
        policy: TrustedDevicePolicy,
        clock: any Clock
    ) {
        self.audience = audience
        self.vault = vault
        self.policy = policy
        self.clock = clock
        strangers = HMAC256(key: decoyKey)
    }

    /// What to sign, and with which algorithms.
    public struct Offer: Encodable, Sendable {
        let clientData: String
        let algorithms = [TrustedDevice.algorithm]
    }

    public struct Credential: Decodable, Sendable {
        let deviceId: String
        let signature: Base64URL
    }

    /// Asks the device that wants to sign in; stays out where none does.
    ///
    /// An unknown device is asked in the same form, after the same look-up, for an account that doesn't exist.
    public func offer(to visitor: Visitor, ceremony: borrowing Ceremony) throws(ProviderFault) -> Offer? {
        guard let device = ceremony.deviceID else { return nil }
        let stranger = stranger(device)
        let record = try vault.record(key: Self.key(of: device))
        let account = record.flatMap { isExpired($0) ? nil : $0.account.text } ?? stranger
        return Offer(clientData: try statement(device, of: account, ceremony).text())
    }

    static func key(of device: String) -> [UInt8] { Array(device.utf8) }

    private func statement(
        _ device: String,
        of account: String,
        _ ceremony: borrowing Ceremony
    ) -> DeviceStatement {
        DeviceStatement(.signIn, device: device, account: account, audience: audience, ceremony: ceremony)
    }

    /// An account ID for an unknown device: in the form of a real one, and always the same.
    ///
    /// The label keeps it apart from whatever else the key is used for, as clients choose the rest and see the result.
    private func stranger(_ device: String) -> String {
        let code = strangers.code(for: Array("account of a trusted device\0".utf8) + Self.key(of: device))
        return Base64URL(bytes: Array(code.prefix(16))).text
    }
}

extension TrustedDeviceProvider {
    /// Something one has, and something one is where that is attested and counts here.
    ///
    /// Nothing in a signature says whether the device asked for a fingerprint before it used the key: that is known only of
    /// a key that can't be used otherwise, by an attestation that was checked when the key was enrolled.
    ///
    /// Phishing-resistant (NIST SP 800-63B-4 §3.2.5): the system gives the key to the app that made it and to no other,
    /// and the app signs what its own server sent; no page can get at it.
    func proof(of device: TrustedDevice) -> Proof {
        let isVerified = device.attestation?.unlock.map(policy.secondFactors.contains) ?? false
        return Proof(
            factors: isVerified ? [.possession, .inherence] : .possession,
            phishingResistant: true,
            userVerified: isVerified,
            deviceBound: true,
            // App Attest vouches for the app, and not for what holds the key.
            attested: device.attestation?.format == .androidKey
        )
    }

    /// Whether a device was unused for so long that it is forgotten.
    func isExpired(_ record: CredentialRecord) -> Bool {
        clock.now - (record.lastUsedAt ?? record.createdAt) > policy.idleLimit
    }

    public func canSignIn(with record: CredentialRecord) -> Bool { !isExpired(record) }

    /// A device that may still sign in.
    func known(_ device: String) throws(SignInError) -> (CredentialRecord, TrustedDevice)? {
        try found { () throws(ProviderFault) in
            guard let record = try vault.record(key: Self.key(of: device)), !isExpired(record) else { return nil }
            return (record, try TrustedDevice(record))
        }
    }

    /// Checks the signature over the statement that the device was given.
    public func verify(_ credential: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence {
        guard let asked = ceremony.deviceID, asked.utf8.elementsEqual(credential.deviceId.utf8) else {
            throw .refused(Refusal(.credentialRejected, "the ceremony was begun for another device"))
        }
        guard let (record, device) = try known(asked) else {
            throw .refused(Refusal(.trustedDeviceUnknown, "no such device", remedy: .unknownDevice(id: asked)))
        }
        try check(record.account, may: ceremony)
        try check(
            credential.signature.bytes,
            by: device.key,
            over: statement(asked, of: record.account.text, ceremony)
        )
        return Evidence(account: record.account, credential: record.id, proof: proof(of: device))
    }

    /// Checks that a device's account is the one that the ceremony is for.
    private func check(_ owner: AccountID, may ceremony: borrowing Ceremony) throws(SignInError) {
        if let account = ceremony.account, account != owner {
            throw .refused(Refusal(.ceremonyAccountMismatch, "a device of another account"))
        }
        guard let identifier = ceremony.identifier else { return }
        let named = try found { () throws(ProviderFault) in try vault.account(named: identifier) }
        guard named?.id == owner else {
            throw .refused(Refusal(.credentialRejected, "not a device of the account that was named"))
        }
    }

    /// Checks an ES256 signature, as 64 bytes `r‖s` (RFC 7518 §3.4) or in DER, as the systems make it.
    func check(
        _ signature: [UInt8],
        by key: DeviceKey.Coordinates,
        over statement: DeviceStatement
    ) throws(SignInError) {
        let signed = try found { () throws(ProviderFault) in Array(try statement.text().utf8) }
        let publicKey: P256PublicKey
        do throws(KeyFault) { publicKey = try key.publicKey } catch {
            throw .unavailable(ProviderFault("parse device key", code: 0))
        }
        // By a rare chance 64 bytes are DER.
        guard
            publicKey.isValid(rawSignature: signature, over: signed)
                || publicKey.isValid(signature: signature, over: signed)
        else { throw .refused(Refusal(.signatureInvalid, "the signature is wrong")) }
    }

    /// The result of a look-up, its failure as an outage.
    func found<Found>(_ lookUp: () throws(ProviderFault) -> Found) throws(SignInError) -> Found {
        do throws(ProviderFault) { return try lookUp() } catch { throw .unavailable(error) }
    }
}

extension TrustedDeviceProvider: ValidatingProvider {
    public struct Claim: Decodable, Sendable {
        let deviceId: String

        public init(deviceId: String) { self.deviceId = deviceId }
    }

    /// Whether a device can still sign in: for apps that want to know before they ask anybody to unlock a key.
    ///
    /// One look-up, whatever the ID. An ID is 128 random bits, so this tells nothing to those who don't have one.
    public func isKnown(_ claim: Claim) throws(ProviderFault) -> Bool {
        try vault.record(key: Self.key(of: claim.deviceId)).map { !isExpired($0) } ?? false
    }
}

extension TrustedDevice {
    init(_ record: CredentialRecord) throws(ProviderFault) {
        self = try DeviceCoding.decode(TrustedDevice.self, record.payload)
    }
}
