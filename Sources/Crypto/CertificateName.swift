public import Wire

/// A distinguished name (RFC 5280 §4.1.2.4), as a list of what it is made of.
public struct CertificateName: Equatable, Sendable {
    public struct Attribute: Equatable, Sendable {
        public let type: OID
        /// As it is encoded: nothing is folded or converted.
        public let value: DERElement
    }

    public let attributes: [Attribute]

    /// - Parameter element: An RDNSequence.
    public init(parsing element: DERElement) throws(WireFault) {
        var names = DERReader(try element.content(of: .sequence))
        var attributes: [Attribute] = []
        while !names.isAtEnd {
            var set = try names.next(.set).elements
            while !set.isAtEnd { attributes.append(try Self.attribute(try set.next(.sequence))) }
        }
        self.attributes = attributes
    }

    private static func attribute(_ pair: DERElement) throws(WireFault) -> Attribute {
        var reader = pair.elements
        let type = OID(encoded: try reader.next(.objectIdentifier).content)
        let value = try reader.next()
        try reader.finish()
        return Attribute(type: type, value: value)
    }

    /// The values of an attribute, in their order.
    public func values(of type: OID) -> [DERElement] { attributes.filter { $0.type == type }.map(\.value) }
}

extension OID {
    public static let commonName: OID = "2.5.4.3"
    public static let countryName: OID = "2.5.4.6"
    public static let organizationName: OID = "2.5.4.10"
    public static let organizationalUnitName: OID = "2.5.4.11"
}
