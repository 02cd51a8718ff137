import Crypto
public import Wire

/// What an assertion has to answer: kept by the server since it sent the options.
public struct AssertionExpectation: Sendable {
    /// The bytes sent, at least 16.
    public var challenge: [UInt8]
    public var requiresUserVerification: Bool
    /// The IDs of the allow list that was sent; empty without one.
    public var allowedCredentials: [Base64URL]
    /// The user handle of the account that the record belongs to.
    public var userHandle: [UInt8]
    /// Whether that account was known before the ceremony began, by a name or a session.
    ///
    /// If not, the response has to name the account itself.
    public var userIsIdentified: Bool
    /// What becomes of a counter that did not rise: §7.2 step 22 (`#sctn-verifying-assertion`) leaves it to us, and
    /// §6.1.1 (`#sctn-sign-counter`) says what it may mean.
    public var counterRegression: AnomalyPolicy
    /// What becomes of a change that §6.1.3 (`#sctn-credential-backup`) rules out and some passkey managers make all the
    /// same; to refuse it is §7.2 step 19 to the letter.
    public var backupEligibilityChange: AnomalyPolicy

    public init(
        challenge: [UInt8],
        requiresUserVerification: Bool = true,
        allowedCredentials: [Base64URL] = [],
        userHandle: [UInt8],
        userIsIdentified: Bool = false,
        counterRegression: AnomalyPolicy = .refuse,
        backupEligibilityChange: AnomalyPolicy = .refuse
    ) {
        self.challenge = challenge
        self.requiresUserVerification = requiresUserVerification
        self.allowedCredentials = allowedCredentials
        self.userHandle = userHandle
        self.userIsIdentified = userIsIdentified
        self.counterRegression = counterRegression
        self.backupEligibilityChange = backupEligibilityChange
    }
}

/// An assertion that passed every check.
public struct VerifiedAssertion: Sendable {
    /// The record with its new counter and backup state, to be stored with the sign-in and not without it.
    public let credential: CredentialRecord
    public let userVerified: Bool
    /// What was wrong with it and taken all the same; ``credential`` is flagged with it.
    public let anomalies: [AssertionAnomaly]
    /// Authenticator extension outputs, unsolicited ones among them.
    public let extensions: [String: CBORValue]
}

extension RelyingParty {
    /// Verifies an assertion by one credential.
    ///
    /// WebAuthn Level 3 §7.2 (`#sctn-verifying-assertion`), editor's draft of 2026-07-30, whose step numbers these are,
    /// in its order but for step 19: flags that nobody signed say nothing of the credential. Steps 1 and 2 are the
    /// caller's; step 3 is the decoding of `response`; of extensions (steps 4 and 23) none is asked for.
    ///
    /// - Parameter record: The record whose ID is `response.id`, looked up by the caller. Where the account was known
    ///   before, it is one of that account (step 6).
    public func verifyAssertion(
        _ response: AuthenticationResponseJSON,
        by record: CredentialRecord,
        expecting expectation: AssertionExpectation
    ) throws(WebAuthnError) -> VerifiedAssertion {
        // Steps 5 and 6.
        guard response.id == record.id else { throw .credentialIDMismatch }
        try Self.checkIdentity(response, expectation)
        // Steps 7 to 14.
        let client = try CollectedClientData(parsing: response.clientDataJSON.bytes)
        try check(client, type: "webauthn.get", challenge: expectation.challenge)
        // Steps 15 to 18.
        let data = try Self.parse(response.authenticatorData.bytes)
        try check(data, requiresUserVerification: expectation.requiresUserVerification)
        // Steps 20 and 21.
        try Self.checkSignature(response, record)
        // Steps 19 and 22.
        let anomalies = try Self.anomalies(of: data, record, expectation)
        return VerifiedAssertion(
            credential: record.advanced(to: data, anomalies),
            userVerified: data.flags.contains(.userVerified),
            anomalies: anomalies,
            extensions: data.extensions
        )
    }

    /// Steps 5 and 6 of §7.2 (`#sctn-verifying-assertion`, draft of 2026-07-30), as far as the record doesn't settle
    /// them: the allow list, and whose credential the response says it is.
    private static func checkIdentity(
        _ response: AuthenticationResponseJSON,
        _ expectation: AssertionExpectation
    ) throws(WebAuthnError) {
        if !expectation.allowedCredentials.isEmpty, !expectation.allowedCredentials.contains(response.id) {
            throw .credentialNotAllowed
        }
        guard let handle = response.userHandle else {
            guard expectation.userIsIdentified else { throw .userHandleMissing }
            return
        }
        guard handle.bytes == expectation.userHandle else { throw .userHandleMismatch }
    }

    /// Authenticator data of an assertion: attested credential data is for registrations only (§6.1,
    /// `#sctn-authenticator-data`, draft of 2026-07-30).
    private static func parse(_ bytes: [UInt8]) throws(WebAuthnError) -> AuthenticatorData {
        let data: AuthenticatorData
        do { data = try AuthenticatorData(parsing: bytes) } catch { throw .malformedAuthenticatorData(error) }
        guard data.attestedCredential == nil else { throw .attestedCredentialUnexpected }
        return data
    }

    /// Steps 20 and 21 of §7.2 (`#sctn-verifying-assertion`, draft of 2026-07-30).
    private static func checkSignature(
        _ response: AuthenticationResponseJSON,
        _ record: CredentialRecord
    ) throws(WebAuthnError) {
        let key: COSEKey
        do { key = try COSEKey(parsing: record.publicKey.bytes, wasKey: true) } catch { throw .keyInvalid(error) }
        let signed = response.authenticatorData.bytes + SHA256.hash(response.clientDataJSON.bytes)
        guard key.publicKey.isValid(signature: response.signature.bytes, over: signed) else {
            throw .signatureInvalid
        }
    }

    /// Steps 19 and 22 of §7.2 (`#sctn-verifying-assertion`, draft of 2026-07-30), each under its policy.
    private static func anomalies(
        of data: AuthenticatorData,
        _ record: CredentialRecord,
        _ expectation: AssertionExpectation
    ) throws(WebAuthnError) -> [AssertionAnomaly] {
        var anomalies: [AssertionAnomaly] = []
        if record.changesEligibility(with: data) {
            guard expectation.backupEligibilityChange == .flag else { throw .backupEligibilityChanged }
            anomalies.append(.backupEligibilityChanged)
        }
        if record.counterRegresses(with: data) {
            guard expectation.counterRegression == .flag else { throw .counterRegressed }
            anomalies.append(.counterRegressed)
        }
        return anomalies
    }
}

extension CredentialRecord {
    /// Step 19; a record that never held the flag has nothing to compare.
    fileprivate func changesEligibility(with data: AuthenticatorData) -> Bool {
        backupEligible.map { $0 != data.flags.contains(.backupEligible) } ?? false
    }

    /// Step 22; two zeros are an authenticator that doesn't count.
    fileprivate func counterRegresses(with data: AuthenticatorData) -> Bool {
        data.signCount <= signCount && (data.signCount != 0 || signCount != 0)
    }

    /// Step 24 of §7.2 (`#authn-ceremony-update-credential-record`, draft of 2026-07-30), where what was flagged makes
    /// the record stricter and never laxer.
    ///
    /// The counter is not lowered, or a copy of the key could wind it back. A credential that was eligible for backup
    /// stays so: what was copied once is not bound to a device because its authenticator says so now.
    fileprivate func advanced(to data: AuthenticatorData, _ anomalies: [AssertionAnomaly]) -> CredentialRecord {
        var record = self
        record.signCount = max(signCount, data.signCount)
        record.backupEligible = backupEligible == true || data.flags.contains(.backupEligible)
        record.backupState = data.flags.contains(.backedUp)
        for anomaly in anomalies { record.flag(anomaly) }
        return record
    }
}
