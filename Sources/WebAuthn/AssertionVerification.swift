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

    public init(
        challenge: [UInt8],
        requiresUserVerification: Bool = true,
        allowedCredentials: [Base64URL] = [],
        userHandle: [UInt8],
        userIsIdentified: Bool = false
    ) {
        self.challenge = challenge
        self.requiresUserVerification = requiresUserVerification
        self.allowedCredentials = allowedCredentials
        self.userHandle = userHandle
        self.userIsIdentified = userIsIdentified
    }
}

/// An assertion that passed every check.
public struct VerifiedAssertion: Sendable {
    /// The record with its new counter and backup state, to be stored with the sign-in and not without it.
    public let credential: CredentialRecord
    public let userVerified: Bool
    /// Authenticator extension outputs, unsolicited ones among them.
    public let extensions: [String: CBORValue]
}

extension RelyingParty {
    /// Verifies an assertion by one credential.
    ///
    /// WebAuthn Level 3 §7.2 (`#sctn-verifying-assertion`), editor's draft of 2026-07-30, whose step numbers these are.
    /// Steps 1 and 2 are the caller's; step 3 is the decoding of `response`.
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
        // Step 19.
        try Self.checkEligibility(data, record)
        // Steps 20 and 21.
        try Self.checkSignature(response, record)
        // Step 22 comes last: an unsigned counter says nothing.
        try Self.checkCounter(data.signCount, after: record.signCount)
        return VerifiedAssertion(
            credential: record.advanced(to: data),
            userVerified: data.flags.contains(.userVerified),
            extensions: data.extensions
        )
    }

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

    private static func parse(_ bytes: [UInt8]) throws(WebAuthnError) -> AuthenticatorData {
        let data: AuthenticatorData
        do { data = try AuthenticatorData(parsing: bytes) } catch { throw .malformedAuthenticatorData(error) }
        // §6.1: attested credential data is for registrations only.
        guard data.attestedCredential == nil else { throw .attestedCredentialUnexpected }
        return data
    }

    /// Refuses a change of what §6.1.3 calls permanent; a record that never held it has nothing to compare.
    private static func checkEligibility(
        _ data: AuthenticatorData,
        _ record: CredentialRecord
    ) throws(WebAuthnError) {
        guard let registered = record.backupEligible else { return }
        guard registered == data.flags.contains(.backupEligible) else { throw .backupEligibilityChanged }
    }

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

    private static func checkCounter(_ count: UInt32, after last: UInt32) throws(WebAuthnError) {
        guard count > last || (count == 0 && last == 0) else { throw .counterRegressed }
    }
}

extension CredentialRecord {
    /// Step 24.
    fileprivate func advanced(to data: AuthenticatorData) -> CredentialRecord {
        var record = self
        record.signCount = data.signCount
        record.backupEligible = data.flags.contains(.backupEligible)
        record.backupState = data.flags.contains(.backedUp)
        return record
    }
}
