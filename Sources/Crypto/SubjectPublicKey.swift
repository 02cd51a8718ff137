import Wire

extension KeyMaterial {
    /// Reads a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) of a kind of key that is used here.
    ///
    /// Curves are named and points uncompressed; a modulus of more bits than are ever accepted is refused here, before
    /// anyone calculates with it.
    init(subjectPublicKeyInfo bytes: DERElement) throws(CertificateFault) {
        do throws(WireFault) {
            var reader = DERReader(try bytes.content(of: .sequence))
            var algorithm = try reader.next(.sequence).elements
            let key = try reader.next(.bitString).wholeBytes()
            try reader.finish()
            let name = OID(encoded: try algorithm.next(.objectIdentifier).content)
            guard let material = try Self.material(name, &algorithm, key) else { throw WireFault(.notCanonical, at: 0) }
            try algorithm.finish()
            self = material
        } catch { throw .unsupportedKey }
    }

    private static func material(
        _ name: OID,
        _ parameters: inout DERReader,
        _ key: [UInt8]
    ) throws(WireFault) -> KeyMaterial? {
        switch name {
        case .rsaEncryption:
            _ = try parameters.optional(.null)
            return try rsa(key)
        case .ecPublicKey:
            return elliptic(try EllipticCurve(OID(encoded: parameters.next(.objectIdentifier).content)), key)
        case .ed25519: return .ed25519(key)
        case .ed448: return .ed448(key)
        default: return nil
        }
    }

    private static func rsa(_ key: [UInt8]) throws(WireFault) -> KeyMaterial? {
        var numbers = DERReader(try DERElement(parsing: key).content(of: .sequence))
        let modulus = try numbers.next().unsignedInteger()
        let exponent = try numbers.next().unsignedInteger()
        try numbers.finish()
        guard modulus.count * 8 <= RSAPublicKey.modulusBits.upperBound, exponent.count <= 8 else { return nil }
        return .rsa(modulus: modulus, exponent: exponent)
    }

    private static func elliptic(_ curve: EllipticCurve?, _ point: [UInt8]) -> KeyMaterial? {
        guard let curve, point.first == 0x04, point.count == 1 + 2 * curve.coordinateSize else { return nil }
        let coordinates = point.dropFirst()
        return .elliptic(
            curve,
            x: Array(coordinates.prefix(curve.coordinateSize)),
            y: Array(coordinates.suffix(curve.coordinateSize))
        )
    }
}

extension EllipticCurve {
    /// RFC 5480 §2.1.1.1.
    fileprivate init?(_ name: OID) {
        switch name {
        case "1.2.840.10045.3.1.7": self = .p256
        case "1.3.132.0.34": self = .p384
        case "1.3.132.0.35": self = .p521
        case "1.3.132.0.10": self = .secp256k1
        default: return nil
        }
    }
}

extension OID {
    fileprivate static let rsaEncryption: OID = "1.2.840.113549.1.1.1"
    fileprivate static let ecPublicKey: OID = "1.2.840.10045.2.1"
    fileprivate static let ed25519: OID = "1.3.101.112"
    fileprivate static let ed448: OID = "1.3.101.113"
}
