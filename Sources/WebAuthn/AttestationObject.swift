public import Wire

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
