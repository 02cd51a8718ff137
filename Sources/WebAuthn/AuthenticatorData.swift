public import Wire

/// What an authenticator states about itself and about one credential.
///
/// WebAuthn Level 3 §6.1 (`#sctn-authenticator-data`), editor's draft of 2026-07-30.
public struct AuthenticatorData: Equatable, Sendable {
    /// SHA-256 of the relying party ID, 32 bytes.
    public let relyingPartyIDHash: [UInt8]
    public let flags: Flags
    /// Zero for authenticators that don't count, as synced passkeys mostly don't.
    public let signCount: UInt32
    /// Present at registration, absent at sign-in.
    public let attestedCredential: AttestedCredential?
    /// Authenticator extension outputs by identifier; empty without any.
    public let extensions: [String: CBORValue]

    /// The new credential (§6.5.1, `#sctn-attested-credential-data`).
    public struct AttestedCredential: Equatable, Sendable {
        /// The model of the authenticator, 16 bytes; all zero where it doesn't say.
        public let aaguid: [UInt8]
        /// Of any length that two bytes can state; ``RelyingParty`` checks it.
        public let credentialID: [UInt8]
        /// The COSE key, exactly one CBOR item.
        public let publicKey: [UInt8]
    }

    /// Bits 1 and 5 are reserved for future use, and ignored.
    public struct Flags: OptionSet, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let userPresent = Flags(rawValue: 1 << 0)
        public static let userVerified = Flags(rawValue: 1 << 2)
        public static let backupEligible = Flags(rawValue: 1 << 3)
        public static let backedUp = Flags(rawValue: 1 << 4)
        public static let attestedCredential = Flags(rawValue: 1 << 6)
        public static let extensions = Flags(rawValue: 1 << 7)
    }
}

extension AuthenticatorData {
    /// Parses the 37 fixed bytes and what the flags say follows them, to the last byte.
    public init(parsing bytes: [UInt8]) throws(WireFault) {
        let span = bytes.span
        var reader = ByteReader(span)
        relyingPartyIDHash = try reader.take(32, span)
        flags = Flags(rawValue: try reader.readUInt8(span))
        signCount = try reader.readInteger(UInt32.self, span)
        attestedCredential =
            flags.contains(.attestedCredential) ? try AttestedCredential(parsing: &reader, span) : nil
        extensions = flags.contains(.extensions) ? try Self.extensions(parsing: &reader, span) : [:]
        try reader.finish()
    }

    private static func extensions(
        parsing reader: inout ByteReader,
        _ bytes: Span<UInt8>
    ) throws(WireFault) -> [String: CBORValue] {
        let start = reader.offset
        guard let map = try reader.readCBOR(bytes).value.map else { throw WireFault(.notCanonical, at: start) }
        var extensions: [String: CBORValue] = [:]
        for entry in map.entries {
            guard let identifier = entry.key.string else { throw WireFault(.notCanonical, at: start) }
            extensions[identifier] = entry.value
        }
        return extensions
    }
}

extension AuthenticatorData.AttestedCredential {
    fileprivate init(parsing reader: inout ByteReader, _ bytes: Span<UInt8>) throws(WireFault) {
        aaguid = try reader.take(16, bytes)
        let length = try reader.readInteger(UInt16.self, bytes)
        credentialID = try reader.take(Int(length), bytes)
        publicKey = try reader.readCBOR(bytes).encoded
    }
}

extension ByteReader {
    /// Takes one CBOR item, which says itself where it ends.
    fileprivate mutating func readCBOR(
        _ bytes: Span<UInt8>
    ) throws(WireFault) -> (value: CBORValue, encoded: [UInt8]) {
        let start = offset
        let rest = bytes.extracting(droppingFirst: start)
        var reader = CBORReader(rest)
        do throws(WireFault) {
            let value = try reader.readItem(rest)
            return (value, try take(reader.offset, bytes))
        } catch {
            throw WireFault(error.reason, at: start + error.offset)
        }
    }
}
