import Crypto
import Wire

/// The public area of a key in a TPM: a TPMT_PUBLIC (TPM 2.0 Library, Part 2 §12.2.4).
struct TPMPublicArea {
    let key: KeyMaterial
    private let nameAlgorithm: UInt16

    init?(parsing bytes: [UInt8]) {
        do throws(WireFault) {
            let span = bytes.span
            var reader = ByteReader(span)
            let type = try reader.readInteger(UInt16.self, span)
            nameAlgorithm = try reader.readInteger(UInt16.self, span)
            // objectAttributes and authPolicy.
            _ = try reader.skip(4)
            _ = try reader.readTPMBuffer(span)
            try reader.skipTPMSymmetric(span)
            let key: KeyMaterial?
            switch type {
            case TPMConstant.rsa: key = try reader.readTPMKeyRSA(span)
            case TPMConstant.ecc: key = try reader.readTPMKeyECC(span)
            default: key = nil
            }
            guard let key else { return nil }
            try reader.finish()
            self.key = key
        } catch { return nil }
    }

    /// The Name of the key (Part 1 §16): the hash of the area after the identifier of the hash.
    ///
    /// - Returns: `nil` for a hash that isn't known.
    func name(of encoded: [UInt8]) -> [UInt8]? {
        let hash: HashFunction
        switch nameAlgorithm {
        case 0x0004: hash = .sha1
        case 0x000B: hash = .sha256
        case 0x000C: hash = .sha384
        case 0x000D: hash = .sha512
        default: return nil
        }
        return [UInt8(nameAlgorithm >> 8), UInt8(nameAlgorithm & 0xFF)] + hash.hash(encoded)
    }
}

/// What a TPM signed of a key: a TPMS_ATTEST that holds a TPMS_CERTIFY_INFO (Part 2 §10.12.8 and §10.12.3).
struct TPMCertifyInfo {
    let extraData: [UInt8]
    let name: [UInt8]

    init(parsing bytes: [UInt8]) throws(AttestationFault) {
        let header: (magic: UInt32, type: UInt16)
        do throws(WireFault) {
            let span = bytes.span
            var reader = ByteReader(span)
            header = (try reader.readInteger(UInt32.self, span), try reader.readInteger(UInt16.self, span))
            _ = try reader.readTPMBuffer(span)
            extraData = try reader.readTPMBuffer(span)
            // clockInfo (17 bytes) and firmwareVersion (8), which may be obfuscated.
            _ = try reader.skip(25)
            name = try reader.readTPMBuffer(span)
            _ = try reader.readTPMBuffer(span)
            try reader.finish()
        } catch { throw .tpm(.attestation) }
        guard header.magic == TPMConstant.generated else { throw .tpm(.magic) }
        guard header.type == TPMConstant.attestCertify else { throw .tpm(.type) }
    }
}

private enum TPMConstant {
    static let rsa: UInt16 = 0x0001
    static let null: UInt16 = 0x0010
    static let ecc: UInt16 = 0x0023
    static let ecdaa: UInt16 = 0x001A
    /// TPM_GENERATED_VALUE.
    static let generated: UInt32 = 0xFF54_4347
    /// TPM_ST_ATTEST_CERTIFY.
    static let attestCertify: UInt16 = 0x8017
}

extension ByteReader {
    /// Reads a TPM2B: two bytes of length, and as many bytes.
    fileprivate mutating func readTPMBuffer(_ bytes: Span<UInt8>) throws(WireFault) -> [UInt8] {
        try take(Int(try readInteger(UInt16.self, bytes)), bytes)
    }

    /// Steps over a TPMT_SYM_DEF_OBJECT: key size and mode follow, unless there is none.
    fileprivate mutating func skipTPMSymmetric(_ bytes: Span<UInt8>) throws(WireFault) {
        guard try readInteger(UInt16.self, bytes) != TPMConstant.null else { return }
        _ = try skip(4)
    }

    /// Steps over a scheme: its hash follows, unless there is none, and for ECDAA a count.
    private mutating func skipTPMScheme(_ bytes: Span<UInt8>) throws(WireFault) {
        let scheme = try readInteger(UInt16.self, bytes)
        guard scheme != TPMConstant.null else { return }
        _ = try skip(scheme == TPMConstant.ecdaa ? 4 : 2)
    }

    fileprivate mutating func readTPMKeyRSA(_ bytes: Span<UInt8>) throws(WireFault) -> KeyMaterial? {
        try skipTPMScheme(bytes)
        let bits = try readInteger(UInt16.self, bytes)
        let stated = try readInteger(UInt32.self, bytes)
        let modulus = try readTPMBuffer(bytes)
        guard modulus.count * 8 == Int(bits) else { return nil }
        let exponent = stated == 0 ? 65_537 : stated
        let digits = (0..<4).reversed().map { UInt8(truncatingIfNeeded: exponent >> UInt32($0 * 8)) }
        return .rsa(modulus: modulus, exponent: Array(digits.drop { $0 == 0 }))
    }

    fileprivate mutating func readTPMKeyECC(_ bytes: Span<UInt8>) throws(WireFault) -> KeyMaterial? {
        try skipTPMScheme(bytes)
        let curve: EllipticCurve
        switch try readInteger(UInt16.self, bytes) {
        case 0x0003: curve = .p256
        case 0x0004: curve = .p384
        case 0x0005: curve = .p521
        default: return nil
        }
        try skipTPMScheme(bytes)
        let x = try readTPMCoordinate(curve, bytes)
        let y = try readTPMCoordinate(curve, bytes)
        guard let x, let y else { return nil }
        return .elliptic(curve, x: x, y: y)
    }

    /// Reads a coordinate, which a TPM may give without its leading zeros.
    private mutating func readTPMCoordinate(
        _ curve: EllipticCurve,
        _ bytes: Span<UInt8>
    ) throws(WireFault) -> [UInt8]? {
        let digits = try readTPMBuffer(bytes)
        guard digits.count <= curve.coordinateSize else { return nil }
        return [UInt8](repeating: 0, count: curve.coordinateSize - digits.count) + digits
    }
}
