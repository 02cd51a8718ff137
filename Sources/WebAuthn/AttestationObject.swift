public import Wire

/// The formats of attestation statements in the IANA registry (RFC 8809), by identifier.
public enum AttestationFormat: String, Codable, Sendable, CaseIterable {
    case none
    case packed
    case tpm
    case androidKey = "android-key"
    case androidSafetyNet = "android-safetynet"
    case fidoU2F = "fido-u2f"
    case apple
    case compound
}

/// Authenticator data with a statement about where the authenticator comes from.
///
/// WebAuthn Level 3 §6.5.4 (`#sctn-generating-an-attestation-object`), editor's draft of 2026-07-30. Members it doesn't
/// name are ignored.
public struct AttestationObject: Sendable {
    /// The format's identifier as it stands there, known or not.
    public let format: String
    /// Not checked yet: what it has to hold depends on the format.
    public let statement: CBORValue
    public let authenticatorData: AuthenticatorData
    /// The bytes that signatures of statements cover.
    public let encodedAuthenticatorData: [UInt8]

    /// One level more than a CTAP2 message has: a compound statement holds objects that hold statements (§8.9).
    private static let maximumDepth = CBORReader.canonicalDepth + 1

    public init(parsing bytes: [UInt8]) throws(WebAuthnError) {
        let item: CBORValue
        do {
            item = try CBORValue(decoding: bytes.span, maximumDepth: Self.maximumDepth)
        } catch {
            throw .malformedAttestationObject(error)
        }
        guard let format = item.map?["fmt"]?.string,
            let statement = item.map?["attStmt"],
            let encoded = item.map?["authData"]?.byteString
        else { throw .malformedAttestationObject(WireFault(.notCanonical, at: 0)) }
        self.format = format
        self.statement = statement
        encodedAuthenticatorData = encoded
        do {
            authenticatorData = try AuthenticatorData(parsing: encoded)
        } catch {
            throw .malformedAuthenticatorData(error)
        }
    }
}

/// What is known about the origin of an authenticator.
public enum Attestation: Equatable, Sendable {
    /// No statement: nothing is known, the AAGUID included.
    case none
    /// A statement that nobody checked, and that is worth no more than none.
    case unverified(AttestationFormat)

    public var format: AttestationFormat {
        switch self {
        case .none: .none
        case .unverified(let format): format
        }
    }
}

extension AttestationObject {
    /// Runs the verification procedure of the format, as far as there is one here.
    ///
    /// "none" (§8.7) is verified: its statement is the empty map.
    func verifiedAttestation() throws(WebAuthnError) -> Attestation {
        guard let format = AttestationFormat(rawValue: format) else { throw .attestationFormatUnknown }
        switch (format, statement) {
        case (.none, .map(let map)) where map.entries.isEmpty: return .none
        case (.none, _): throw .attestationInvalid
        case (.compound, .array), (_, .map): return .unverified(format)
        default: throw .attestationInvalid
        }
    }
}
