import Wire

extension OID {
    public static let subjectAlternativeName: OID = "2.5.29.17"
    public static let basicConstraints: OID = "2.5.29.19"
    public static let extendedKeyUsage: OID = "2.5.29.37"
}

/// The extensions of RFC 5280 that are read here.
extension CertificateFields {
    /// Whether the certificate says it is that of a certification authority; `nil` if it says nothing about it.
    public var isAuthority: Bool? {
        get throws(WireFault) {
            guard let value = firstExtension(.basicConstraints)?.value else { return nil }
            var reader = DERReader(try DERElement(parsing: value).content(of: .sequence))
            let isAuthority = try reader.optional(.boolean)?.boolean() ?? false
            _ = try reader.optional(.integer)
            try reader.finish()
            return isAuthority
        }
    }

    /// What the key may be used for; empty if the certificate doesn't say.
    public var extendedKeyUsages: [OID] {
        get throws(WireFault) {
            guard let value = firstExtension(.extendedKeyUsage)?.value else { return [] }
            var reader = DERReader(try DERElement(parsing: value).content(of: .sequence))
            var usages: [OID] = []
            while !reader.isAtEnd { usages.append(OID(encoded: try reader.next(.objectIdentifier).content)) }
            return usages
        }
    }

    /// The directory names among the alternative names of the subject.
    public var alternativeDirectoryNames: [CertificateName] {
        get throws(WireFault) {
            guard let value = firstExtension(.subjectAlternativeName)?.value else { return [] }
            var reader = DERReader(try DERElement(parsing: value).content(of: .sequence))
            var names: [CertificateName] = []
            while !reader.isAtEnd {
                let name = try reader.next()
                guard name.tag == .explicit(4) else { continue }
                names.append(try CertificateName(parsing: try DERElement(parsing: name.content)))
            }
            return names
        }
    }

    /// What Apple ties a certificate to: `SEQUENCE { [1] { OCTET STRING } }`; `nil` if there is nothing of the kind.
    ///
    /// WebAuthn Level 3 §8.8, and App Attest ("Validating apps that connect to your server").
    public var appleNonce: [UInt8]? {
        guard let value = firstExtension("1.2.840.113635.100.8.2")?.value else { return nil }
        do throws(WireFault) {
            var outer = DERReader(try DERElement(parsing: value).content(of: .sequence))
            let tagged = try outer.next(.explicit(1))
            try outer.finish()
            return try DERElement(parsing: tagged.content).content(of: .octetString)
        } catch { return nil }
    }
}
