import Crypto

/// A signature algorithm by its number in the IANA registry "COSE Algorithms".
public struct COSEAlgorithm: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// ECDSA with SHA-256; in WebAuthn always on P-256 (§5.8.5).
    public static let es256 = COSEAlgorithm(rawValue: -7)
    /// ECDSA with SHA-384; in WebAuthn always on P-384 (§5.8.5).
    public static let es384 = COSEAlgorithm(rawValue: -35)
    /// ECDSA with SHA-512; in WebAuthn always on P-521 (§5.8.5).
    public static let es512 = COSEAlgorithm(rawValue: -36)
    /// ECDSA with SHA-256 on secp256k1 (RFC 8812 §3.2).
    public static let es256K = COSEAlgorithm(rawValue: -47)
    /// EdDSA; in WebAuthn always Ed25519 (§5.8.5).
    public static let edDSA = COSEAlgorithm(rawValue: -8)
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    public static let rs256 = COSEAlgorithm(rawValue: -257)
    /// RSASSA-PSS with SHA-256.
    public static let ps256 = COSEAlgorithm(rawValue: -37)

    /// ``es256`` by the identifier that names its curve (RFC 9864 §2.1).
    public static let esp256 = COSEAlgorithm(rawValue: -9)
    /// ``es384`` by the identifier that names its curve.
    public static let esp384 = COSEAlgorithm(rawValue: -51)
    /// ``es512`` by the identifier that names its curve.
    public static let esp512 = COSEAlgorithm(rawValue: -52)
    /// ``edDSA`` by the identifier that names its curve (RFC 9864 §2.2).
    public static let ed25519 = COSEAlgorithm(rawValue: -19)

    /// EdDSA on edwards448.
    public static let ed448 = COSEAlgorithm(rawValue: -53)

    /// RSASSA-PKCS1-v1_5 with SHA-1: never for credentials, only for what TPMs of old firmware certify.
    static let rs1 = COSEAlgorithm(rawValue: -65_535)

    /// What a registration offers unless told otherwise, in the order of preference.
    ///
    /// ES256 and RS256 are what §5.4.3 advises for the widest choice of authenticators, EdDSA what newer ones prefer.
    public static let defaults: [COSEAlgorithm] = [.es256, .edDSA, .rs256]

    /// Everything that can be offered.
    public static let supported: [COSEAlgorithm] = names.map(\.algorithm)

    /// What is supported, by the names of the registry.
    private static let names: [(algorithm: COSEAlgorithm, name: String)] = [
        (.es256, "ES256"), (.edDSA, "EdDSA"), (.es384, "ES384"), (.es512, "ES512"), (.rs256, "RS256"),
        (.ps256, "PS256"), (.esp256, "ESP256"), (.ed25519, "Ed25519"), (.esp384, "ESP384"), (.esp512, "ESP512"),
        (.ed448, "Ed448"), (.es256K, "ES256K"),
    ]

    /// - Parameter name: As the registry "COSE Algorithms" spells it, case and all.
    /// - Returns: `nil` if none of that name is ``supported``.
    public init?(name: String) {
        guard let row = Self.names.first(where: { $0.name == name }) else { return nil }
        self = row.algorithm
    }

    /// As the registry "COSE Algorithms" spells it; `nil` for one that isn't ``supported``.
    public var name: String? { Self.names.first { $0.algorithm == self }?.name }
}

extension COSEAlgorithm {
    /// What verifies it: a row here, one in ``names``, and a key type in `Crypto`.
    var signature: SignatureAlgorithm? {
        switch self {
        case .es256, .esp256: .ecdsa(.p256, .sha256)
        case .es384, .esp384: .ecdsa(.p384, .sha384)
        case .es512, .esp512: .ecdsa(.p521, .sha512)
        case .es256K: .ecdsa(.secp256k1, .sha256)
        case .edDSA, .ed25519: .ed25519
        case .ed448: .ed448
        case .rs256: .rsaPKCS1(.sha256)
        case .ps256: .rsaPSS(.sha256)
        default: nil
        }
    }
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
