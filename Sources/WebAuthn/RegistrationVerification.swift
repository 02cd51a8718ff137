import Crypto
public import Wire

/// What a registration has to answer: kept by the server since it sent the options.
public struct RegistrationExpectation: Sendable {
    /// The bytes sent, at least 16.
    public var challenge: [UInt8]
    /// The algorithms offered, in that order.
    public var algorithms: [COSEAlgorithm]
    public var requiresUserVerification: Bool
    /// True only in a ceremony that the server itself began as a conditional creation (§7.1 step 15).
    public var waivesUserPresence: Bool
    /// Whether only credentials are taken that can't leave their device: those not eligible for backup.
    ///
    /// The authenticator's word; only attestation makes it more than that.
    public var requiresDeviceBound: Bool

    public init(
        challenge: [UInt8],
        algorithms: [COSEAlgorithm] = COSEAlgorithm.defaults,
        requiresUserVerification: Bool = true,
        waivesUserPresence: Bool = false,
        requiresDeviceBound: Bool = false
    ) {
        self.challenge = challenge
        self.algorithms = algorithms
        self.requiresUserVerification = requiresUserVerification
        self.waivesUserPresence = waivesUserPresence
        self.requiresDeviceBound = requiresDeviceBound
    }
}

/// A registration that passed every check.
///
/// The caller stores ``credential``, unless one with its ID is registered already, for whichever user (§7.1 step 26).
public struct VerifiedRegistration: Sendable {
    public let credential: CredentialRecord
    public let attestation: Attestation
    public let userPresent: Bool
    public let userVerified: Bool
    /// Whether the credential can be found without an allow list; the client's word, not signed.
    public let discoverability: Discoverability
    /// Authenticator extension outputs, unsolicited ones among them.
    public let extensions: [String: CBORValue]
}

extension RelyingParty {
    /// Verifies the answer to a registration.
    ///
    /// WebAuthn Level 3 §7.1 (`#sctn-registering-a-new-credential`), editor's draft of 2026-07-30, whose step numbers
    /// these are, in its order. Steps 1, 2, 26 and 29 are the caller's; step 3, and 4 for `credProps`, is the decoding
    /// of `response`; other extensions (step 28) are handed on unread.
    ///
    /// - Parameters:
    ///   - policy: What is asked of attestation statements.
    ///   - time: When certificates have to be valid, in seconds since 1970; whoever leaves it out trusts none.
    public func verifyRegistration(
        _ response: RegistrationResponseJSON,
        expecting expectation: RegistrationExpectation,
        attestation policy: AttestationPolicy = .notWanted,
        at time: Int64 = 0
    ) throws(WebAuthnError) -> VerifiedRegistration {
        // Steps 5 to 11.
        let client = try CollectedClientData(parsing: response.clientDataJSON.bytes)
        try check(client, type: "webauthn.create", challenge: expectation.challenge)
        // Step 13.
        let object = try AttestationObject(parsing: response.attestationObject.bytes)
        let data = object.authenticatorData
        // Steps 14 to 18.
        try check(
            data,
            requiresUserVerification: expectation.requiresUserVerification,
            waivesUserPresence: expectation.waivesUserPresence
        )
        guard let attested = data.attestedCredential else { throw .attestedCredentialMissing }
        guard !expectation.requiresDeviceBound || !data.flags.contains(.backupEligible) else { throw .backupRefused }
        // Step 20.
        let key = try Self.key(attested.publicKey, offered: expectation.algorithms)
        // Steps 21 to 24, with the hash of step 12.
        let evidence = AttestationEvidence(
            statement: AttestationStatement(format: object.format, value: object.statement),
            data: data,
            credential: attested,
            key: key,
            encodedData: object.encodedAuthenticatorData,
            clientDataHash: SHA256.hash(response.clientDataJSON.bytes)
        )
        let attestation = try policy.assess(evidence, at: time)
        // Step 25.
        try Self.check(attested.credentialID, isNamed: response.id.bytes)
        return VerifiedRegistration(
            credential: CredentialRecord(attested, key.algorithm, data, attestation, response),
            attestation: attestation,
            userPresent: data.flags.contains(.userPresent),
            userVerified: data.flags.contains(.userVerified),
            discoverability: response.discoverability,
            extensions: data.extensions
        )
    }

    /// Step 20 of §7.1 (`#sctn-registering-a-new-credential`, draft of 2026-07-30): the key is one of an algorithm
    /// offered.
    ///
    /// That it is a sound one is checked too: without an attestation signature nothing else would show that it isn't
    /// before the first sign-in.
    private static func key(
        _ encoded: [UInt8],
        offered: [COSEAlgorithm]
    ) throws(WebAuthnError) -> COSEKey {
        let algorithm: COSEAlgorithm
        do { algorithm = try COSEKey.algorithm(of: encoded) } catch { throw .keyInvalid(error) }
        guard offered.contains(algorithm) else { throw .algorithmNotOffered }
        do { return try COSEKey(parsing: encoded) } catch { throw .keyInvalid(error) }
    }

    /// Step 25 of §7.1 (`#sctn-registering-a-new-credential`, draft of 2026-07-30), and that the client speaks of the
    /// same credential.
    private static func check(_ id: [UInt8], isNamed name: [UInt8]) throws(WebAuthnError) {
        guard CredentialID.lengths.contains(id.count) else { throw .credentialIDInvalid }
        guard id == name else { throw .credentialIDMismatch }
    }
}

extension CredentialRecord {
    /// Step 27 of §7.1 (`#reg-ceremony-create-credential-record`, draft of 2026-07-30).
    fileprivate init(
        _ attested: AuthenticatorData.AttestedCredential,
        _ algorithm: COSEAlgorithm,
        _ data: AuthenticatorData,
        _ attestation: Attestation,
        _ response: RegistrationResponseJSON
    ) {
        self.init(
            id: Base64URL(bytes: attested.credentialID),
            publicKey: Base64URL(bytes: attested.publicKey),
            algorithm: algorithm,
            signCount: data.signCount,
            uvInitialized: data.flags.contains(.userVerified),
            transports: response.transports,
            backupEligible: data.flags.contains(.backupEligible),
            backupState: data.flags.contains(.backedUp),
            aaguid: Base64URL(bytes: attested.aaguid),
            attestationFormat: attestation.format,
            isAttested: attestation.isTrusted,
            discoverability: response.discoverability
        )
    }
}
