import Crypto
import Wire

/// A statement with the format it claims; what it has to hold depends on that.
struct AttestationStatement: Sendable {
    let format: String
    let value: CBORValue

    func knownFormat() throws(WebAuthnError) -> AttestationFormat {
        guard let format = AttestationFormat(rawValue: format) else { throw .attestationFormatUnknown }
        return format
    }

    /// Whether the credential's own key is said to have signed it (§8.2).
    var isSelfAttestation: Bool {
        guard format == AttestationFormat.packed.rawValue, let map = value.map else { return false }
        return map[AttestationMember.x5c.rawValue] == nil && map[AttestationMember.ecdaaKeyId.rawValue] == nil
    }

    /// What is said where nothing is verified, as far as that has a form.
    func unverifiedAttestation() throws(WebAuthnError) -> Attestation {
        let format = try knownFormat()
        switch (format, value) {
        case (.none, .map(let map)) where map.entries.isEmpty: return .none
        case (.none, _): throw .attestationInvalid
        case (.compound, .array), (_, .map): return .unverified(format)
        default: throw .attestationInvalid
        }
    }
}

/// The members of a statement that is a map; those that its format doesn't name are ignored.
struct StatementMembers {
    private let map: CBORMap

    init(_ value: CBORValue) throws(WebAuthnError) {
        guard let map = value.map else { throw .attestationInvalid }
        self.map = map
    }

    func has(_ member: AttestationMember) -> Bool { map[member.rawValue] != nil }

    func algorithm() throws(AttestationFault) -> COSEAlgorithm {
        guard let number = map[AttestationMember.alg.rawValue]?.integer else { throw .member(.alg) }
        return COSEAlgorithm(rawValue: number)
    }

    func bytes(_ member: AttestationMember) throws(AttestationFault) -> [UInt8] {
        guard let bytes = map[member.rawValue]?.byteString else { throw .member(member) }
        return bytes
    }

    func text(_ member: AttestationMember) throws(AttestationFault) -> String {
        guard let text = map[member.rawValue]?.string else { throw .member(member) }
        return text
    }

    /// The certificates, each parsed; refused by their number before anything else.
    func certificates() throws(AttestationFault) -> CertificateChain {
        guard case .array(let items)? = map[AttestationMember.x5c.rawValue] else { throw .member(.x5c) }
        let encodings = items.compactMap(\.byteString)
        guard encodings.count == items.count else { throw .member(.x5c) }
        do { return try CertificateChain(encodings) } catch { throw .certificates(error) }
    }
}
