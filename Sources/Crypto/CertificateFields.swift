import Wire

/// What a certificate says (RFC 5280 §4.1), as far as anyone here asks.
///
/// Read strictly, apart from libcrypto, which reads the same bytes more loosely.
public struct CertificateFields: Equatable, Sendable {
    public struct Extension: Equatable, Sendable {
        public let type: OID
        public let isCritical: Bool
        /// What its OCTET STRING holds: another encoding, as a rule.
        public let value: [UInt8]
    }

    /// 1 to 3.
    public let version: Int
    /// As it is encoded: big-endian, in two's complement.
    public let serialNumber: [UInt8]
    public let issuer: CertificateName
    public let subject: CertificateName
    public let key: KeyMaterial
    /// Each type once.
    public let extensions: [Extension]

    init(parsing der: [UInt8]) throws(CertificateFault) {
        let publicKey: DERElement
        do throws(WireFault) {
            var fields = try Self.signedFields(of: der)
            version = try Self.version(&fields)
            serialNumber = try fields.next(.integer).content
            _ = try fields.next(.sequence)
            issuer = try CertificateName(parsing: try fields.next())
            _ = try fields.next(.sequence)
            subject = try CertificateName(parsing: try fields.next())
            publicKey = try fields.next()
            extensions = try Self.extensions(&fields)
        } catch { throw .malformed(error) }
        key = try KeyMaterial(subjectPublicKeyInfo: publicKey)
    }

    /// The fields that the issuer signed; the signature itself is libcrypto's to check.
    private static func signedFields(of der: [UInt8]) throws(WireFault) -> DERReader {
        var certificate = DERReader(try DERElement(parsing: der).content(of: .sequence))
        let fields = try certificate.next(.sequence).elements
        _ = try certificate.next(.sequence)
        _ = try certificate.next(.bitString).wholeBytes()
        try certificate.finish()
        return fields
    }

    public func firstExtension(_ type: OID) -> Extension? { extensions.first { $0.type == type } }

    private static func version(_ fields: inout DERReader) throws(WireFault) -> Int {
        guard let element = try fields.optional(.explicit(0)) else { return 1 }
        guard let number = try DERElement(parsing: element.content).smallNumber, (1...2).contains(number) else {
            throw WireFault(.notCanonical, at: fields.offset)
        }
        return number + 1
    }

    private static func extensions(_ fields: inout DERReader) throws(WireFault) -> [Extension] {
        _ = try fields.optional(.implicit(1))
        _ = try fields.optional(.implicit(2))
        guard let element = try fields.optional(.explicit(3)) else {
            try fields.finish()
            return []
        }
        try fields.finish()
        var list = DERReader(try DERElement(parsing: element.content).content(of: .sequence))
        var extensions: [Extension] = []
        while !list.isAtEnd {
            let next = try Self.extension(try list.next(.sequence))
            guard !extensions.contains(where: { $0.type == next.type }), extensions.count < Self.maximumExtensions
            else {
                throw WireFault(.duplicateKey, at: list.offset)
            }
            extensions.append(next)
        }
        return extensions
    }

    private static func `extension`(_ element: DERElement) throws(WireFault) -> Extension {
        var reader = element.elements
        let type = OID(encoded: try reader.next(.objectIdentifier).content)
        // FALSE is the default, which DER leaves out and some issuers write all the same.
        let isCritical = try reader.optional(.boolean)?.boolean() ?? false
        let value = try reader.next(.octetString).content
        try reader.finish()
        return Extension(type: type, isCritical: isCritical, value: value)
    }

    /// Each is compared with those before it, so they may not be many.
    private static let maximumExtensions = 64
}
