public import GatehouseKit
import WebAuthn
import Wire

extension PasskeyProvider {
    /// Checks an assertion (WebAuthn Level 3 §7.2, `#sctn-verifying-assertion`, editor's draft of 2026-07-30).
    ///
    /// Whose passkey it may be depends on how the ceremony was begun (step 6): with a session or a name, only one of that
    /// account; with neither, anyone's, and the response has to name the account itself.
    public func verify(_ credential: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence {
        if let account = ceremony.account {
            return try steppedUp(credential.response, as: account, ceremony)
        }
        if let identifier = ceremony.identifier {
            return try named(credential.response, identifier, ceremony)
        }
        return try discovered(credential.response, ceremony)
    }

    private func discovered(
        _ response: AuthenticationResponseJSON,
        _ ceremony: borrowing Ceremony
    ) throws(SignInError) -> Evidence {
        guard let found = try found({ () throws(ProviderFault) in try owned(response.id.bytes) }) else {
            throw Self.unknown(response)
        }
        return try evidence(of: response, by: found, isIdentified: false, ceremony)
    }

    private func steppedUp(
        _ response: AuthenticationResponseJSON,
        as account: AccountID,
        _ ceremony: borrowing Ceremony
    ) throws(SignInError) -> Evidence {
        guard let found = try found({ () throws(ProviderFault) in try owned(response.id.bytes) }) else {
            throw Self.unknown(response)
        }
        guard found.record.account == account else {
            throw .refused(Refusal(.ceremonyAccountMismatch, "a passkey of another account"))
        }
        return try evidence(of: response, by: found, isIdentified: true, ceremony)
    }

    /// Every failure to prove the account looks and costs the same, whether the name or the passkey is unknown, the
    /// passkey is another account's, or the signature is wrong.
    ///
    /// What can't be understood is still told apart, as that depends on the response alone.
    private func named(
        _ response: AuthenticationResponseJSON,
        _ identifier: Identifier,
        _ ceremony: borrowing Ceremony
    ) throws(SignInError) -> Evidence {
        let found = try found { () throws(ProviderFault) in try candidate(response.id.bytes, of: identifier) }
        do throws(SignInError) {
            guard let owned = found.owned else {
                try refuse(response, found.userHandle, ceremony)
            }
            return try evidence(of: response, by: owned, isIdentified: true, ceremony)
        } catch {
            guard case .refused(let refusal) = error, refusal.code.outcome == .failed else { throw error }
            throw .refused(Refusal(.credentialRejected, refusal.reason, finding: refusal.finding))
        }
    }

    /// Does the work of a verification and refuses the response, whatever comes of it.
    private func refuse(
        _ response: AuthenticationResponseJSON,
        _ userHandle: [UInt8],
        _ ceremony: borrowing Ceremony
    ) throws(SignInError) -> Never {
        let decoy = try found { () throws(ProviderFault) in try decoys.record(withID: response.id) }
        let expectation = expectation(userHandle: userHandle, isIdentified: true, ceremony)
        do throws(WebAuthnError) {
            _ = try relyingParty.verifyAssertion(response, by: decoy, expecting: expectation)
        } catch { throw error.signInError }
        throw .refused(Refusal(.credentialRejected, "not a passkey of the account that was named"))
    }
}

// MARK: - What a good assertion proves

extension PasskeyProvider {
    private func evidence(
        of response: AuthenticationResponseJSON,
        by owned: OwnedPasskey,
        isIdentified: Bool,
        _ ceremony: borrowing Ceremony
    ) throws(SignInError) -> Evidence {
        let expectation = expectation(userHandle: owned.userHandle, isIdentified: isIdentified, ceremony)
        let verified: VerifiedAssertion
        do throws(WebAuthnError) {
            verified = try relyingParty.verifyAssertion(response, by: owned.passkey, expecting: expectation)
        } catch { throw try refusal(of: owned, error) }
        do throws(ProviderFault) {
            return Evidence(
                account: owned.record.account,
                credential: owned.record.id,
                proof: proof(by: verified.credential, userVerified: verified.userVerified),
                change: try owned.change(to: verified.credential),
                anomalies: verified.anomalies.map(CredentialAnomaly.init),
                isFromOtherDevice: Self.isFromOtherDevice(response, verified.credential)
            )
        } catch { throw .unavailable(error) }
    }

    /// A phone that was asked through a QR code is attached from outside; a security key is too, and has no inside.
    private static func isFromOtherDevice(
        _ response: AuthenticationResponseJSON,
        _ passkey: WebAuthn.CredentialRecord
    ) -> Bool {
        response.authenticatorAttachment == .crossPlatform
            && !passkey.transports.allSatisfy { $0 != "internal" && $0 != "hybrid" }
    }

    /// Why the assertion of a stored passkey is refused, and what that says of the passkey.
    private func refusal(of owned: OwnedPasskey, _ error: WebAuthnError) throws(SignInError) -> SignInError {
        if case .keyInvalid = error { return .unavailable(ProviderFault("parse stored passkey", code: 0)) }
        guard let anomaly = error.anomaly, case .refused(let refusal) = error.signInError else {
            return error.signInError
        }
        let finding = try found { () throws(ProviderFault) in try owned.finding(anomaly) }
        return .refused(Refusal(refusal.code, refusal.reason, finding: finding))
    }

    private func expectation(
        userHandle: [UInt8],
        isIdentified: Bool,
        _ ceremony: borrowing Ceremony
    ) -> AssertionExpectation {
        // Whether a credential is on the allow list was decided by whose it is.
        AssertionExpectation(
            challenge: ceremony.challenge.bytes,
            requiresUserVerification: policy.requiresUserVerification,
            userHandle: userHandle,
            userIsIdentified: isIdentified,
            counterRegression: policy.counterRegression,
            backupEligibilityChange: policy.backupEligibilityChange
        )
    }

    private static func unknown(_ response: AuthenticationResponseJSON) -> SignInError {
        .refused(
            Refusal(.credentialUnknown, "no such passkey", remedy: .unknownCredential(id: response.id))
        )
    }
}

extension PasskeyProvider {
    /// A passkey is something one has; unlocked with a fingerprint, a face or a PIN, it stands for a second factor, and
    /// authenticators don't say which.
    ///
    /// An attestation counts until its model is reported as compromised; then the passkey goes on as one without. One that
    /// was flagged may have been copied, so it is bound to no device, and what a maker attested of it holds no longer.
    func proof(by passkey: WebAuthn.CredentialRecord, userVerified: Bool) -> Proof {
        Proof(
            factors: userVerified ? [.possession, .inherence] : .possession,
            phishingResistant: true,
            userVerified: userVerified,
            deviceBound: passkey.isDeviceBound,
            attested: passkey.isAttested && passkey.anomalies.isEmpty && !isRefused(model: passkey.aaguid)
        )
    }

    private func isRefused(model aaguid: Base64URL) -> Bool {
        guard let metadata = policy.metadata, let model = metadata.current?.model(aaguid: aaguid) else { return false }
        return metadata.refusedStatus(of: model) != nil
    }
}
