/// A signature algorithm by its number in the IANA registry "COSE Algorithms".
public struct COSEAlgorithm: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// ECDSA with SHA-256; in WebAuthn always on P-256 (§5.8.5).
    public static let es256 = COSEAlgorithm(rawValue: -7)
    /// EdDSA; in WebAuthn always Ed25519 (§5.8.5).
    public static let edDSA = COSEAlgorithm(rawValue: -8)
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    public static let rs256 = COSEAlgorithm(rawValue: -257)

    /// What a registration offers unless told otherwise, in the order of preference.
    ///
    /// ES256 and RS256 are what §5.4.3 advises for the widest choice of authenticators, EdDSA what newer ones prefer.
    public static let defaults: [COSEAlgorithm] = [.es256, .edDSA, .rs256]
}

extension COSEAlgorithm: Codable {
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(Int.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
