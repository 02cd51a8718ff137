import FoundationEssentials
public import GatehouseKit
public import WebAuthn
import Wire

extension PasskeyProvider: EnrollingProvider {
    public var collection: CredentialCollection {
        CredentialCollection(
            path: "passkeys",
            listName: "passkeys",
            memberName: "passkey",
            removalNeedsFreshSession: true,
            allowsSignup: true
        )
    }

    /// Nothing: what a passkey is asked for is our policy.
    ///
    /// The members of the body are the gateway's own.
    public struct Request: Decodable, Sendable {}

    /// Asks for a passkey for this account, on an authenticator that has none yet.
    public func beginEnrollment(
        _ request: Request,
        of account: AccountReference,
        existing: [GatehouseKit.CredentialRecord],
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> EnrollmentStart<PublicKeyCredentialCreationOptionsJSON> {
        let excluded = try found { () throws(ProviderFault) in try Self.descriptors(of: existing) }
        let options = PublicKeyCredentialCreationOptionsJSON(
            rp: RelyingPartyEntity(id: relyingParty.id, name: name),
            user: UserEntity(
                id: Base64URL(bytes: account.userHandle),
                name: account.username,
                displayName: account.displayName
            ),
            challenge: Base64URL(bytes: ceremony.challenge.bytes),
            algorithms: policy.algorithms,
            timeout: policy.timeout,
            excludeCredentials: excluded,
            authenticatorSelection: selection,
            hints: policy.hints,
            attestation: policy.authenticators.rule(for: account).conveyance
        )
        return EnrollmentStart(options: options, memo: try Asked(policy).encoded)
    }

    private var selection: AuthenticatorSelection {
        AuthenticatorSelection(
            authenticatorAttachment: policy.authenticatorAttachment ?? policy.hints.attachment,
            residentKey: policy.residentKey,
            userVerification: policy.userVerification
        )
    }

    /// Checks a registration (WebAuthn Level 3 §7.1, `#sctn-registering-a-new-credential`, editor's draft of
    /// 2026-07-30).
    ///
    /// User presence is waived only in a ceremony that we began as a conditional creation (step 15). That the ID is
    /// nobody else's (step 26) is decided where the credential is stored. Certificates have to be valid when the ceremony
    /// begins.
    public func finishEnrollment(
        _ registration: RegistrationResponseJSON,
        of account: AccountReference,
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> NewCredential {
        let asked = try Asked(memo: ceremony.memo)
        let rule = policy.authenticators.rule(for: account)
        let expectation = RegistrationExpectation(
            challenge: ceremony.challenge.bytes,
            algorithms: asked.algorithms,
            requiresUserVerification: asked.requiresUserVerification,
            waivesUserPresence: ceremony.mediation == .conditional,
            requiresDeviceBound: rule.deviceBoundOnly
        )
        let verified: VerifiedRegistration
        do throws(WebAuthnError) {
            verified = try relyingParty.verifyRegistration(
                registration,
                expecting: expectation,
                attestation: rule.attestation,
                at: ceremony.begunAt.milliseconds / 1_000
            )
        } catch { throw error.signInError }
        let passkey = verified.credential
        return NewCredential(
            key: passkey.id.bytes,
            payload: try found { () throws(ProviderFault) in try PasskeyPayload.encode(passkey) },
            name: nil,
            proof: proof(by: passkey, userVerified: verified.userVerified)
        )
    }

    public func summary(
        of record: GatehouseKit.CredentialRecord,
        isCurrent: Bool
    ) throws(ProviderFault) -> PasskeySummary {
        let passkey = try PasskeyPayload.decode(record.payload)
        return PasskeySummary(record, passkey, keeper: PasskeyKeeper(passkey.aaguid, policy.metadata))
    }

    public func anomalies(of record: GatehouseKit.CredentialRecord) throws(ProviderFault) -> [CredentialAnomaly] {
        try PasskeyPayload.decode(record.payload).anomalies.map(CredentialAnomaly.init)
    }
}

extension [PublicKeyCredentialHint] {
    /// What says the same to clients that don't know hints (WebAuthn Level 3 §5.8.8, `#enum-hints`, editor's draft of
    /// 2026-07-30); `nil` if the hints differ in it.
    fileprivate var attachment: AuthenticatorAttachment? {
        let attachments = Set(map { $0 == .clientDevice ? AuthenticatorAttachment.platform : .crossPlatform })
        return attachments.count == 1 ? attachments.first : nil
    }
}

/// What the options asked for, kept until the response: the policy may change in between.
private struct Asked: Codable {
    let algorithms: [COSEAlgorithm]
    let requiresUserVerification: Bool

    init(_ policy: PasskeyPolicy) {
        algorithms = policy.algorithms
        requiresUserVerification = policy.requiresUserVerification
    }

    init(memo: [UInt8]) throws(SignInError) {
        do {
            self = try JSONDecoder().decode(Asked.self, from: Data(memo))
        } catch { throw .unavailable(ProviderFault("decode passkey memo", code: 0)) }
    }

    var encoded: [UInt8] {
        get throws(SignInError) {
            do {
                return [UInt8](try JSONEncoder().encode(self))
            } catch { throw .unavailable(ProviderFault("encode passkey memo", code: 0)) }
        }
    }
}
