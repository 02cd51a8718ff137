public import Wire

/// What is kept of a credential between its registration and its last assertion.
///
/// WebAuthn Level 3 §4 (`#credential-record`), editor's draft of 2026-07-30. The JSON form is what is stored: names stay,
/// and new ones are optional.
public struct CredentialRecord: Equatable, Sendable {
    public let id: Base64URL
    /// The COSE key, exactly one CBOR item.
    public let publicKey: Base64URL
    public let algorithm: COSEAlgorithm
    public var signCount: UInt32
    /// Whether the user was ever verified with it.
    ///
    /// Set from the registration. Raising it later "SHOULD require authorization by an additional authentication factor"
    /// (§7.2), so that is left to the caller.
    public var uvInitialized: Bool
    /// How the authenticator can be reached, for ``PublicKeyCredentialDescriptor``.
    public var transports: [String]
    /// `nil` in a record from before this was kept: adopted at the next assertion.
    public var backupEligible: Bool?
    public var backupState: Bool?
    /// 16 bytes; a mere claim unless the attestation was verified.
    public let aaguid: Base64URL
    public let attestationFormat: AttestationFormat
    /// Whether certificates led to an anchor when it was registered.
    public let isAttested: Bool
    /// Whether it can be found without an allow list, as the client said when it was registered.
    public let discoverability: Discoverability
    /// What its assertions ever showed, each anomaly once; never taken back, since nothing proves it harmless.
    public private(set) var anomalies: [AssertionAnomaly]

    public init(
        id: Base64URL,
        publicKey: Base64URL,
        algorithm: COSEAlgorithm,
        signCount: UInt32,
        uvInitialized: Bool,
        transports: [String],
        backupEligible: Bool?,
        backupState: Bool?,
        aaguid: Base64URL,
        attestationFormat: AttestationFormat,
        isAttested: Bool = false,
        discoverability: Discoverability = .unknown,
        anomalies: [AssertionAnomaly] = []
    ) {
        self.id = id
        self.publicKey = publicKey
        self.algorithm = algorithm
        self.signCount = signCount
        self.uvInitialized = uvInitialized
        self.transports = transports
        self.backupEligible = backupEligible
        self.backupState = backupState
        self.aaguid = aaguid
        self.attestationFormat = attestationFormat
        self.isAttested = isAttested
        self.discoverability = discoverability
        self.anomalies = anomalies
    }

    public mutating func flag(_ anomaly: AssertionAnomaly) {
        if !anomalies.contains(anomaly) { anomalies.append(anomaly) }
    }

    /// Whether the key can't leave its authenticator, as far as that one says so, and nothing spoke against it.
    public var isDeviceBound: Bool { backupEligible == false && anomalies.isEmpty }
}

extension CredentialRecord: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, publicKey, algorithm, signCount, uvInitialized, transports, backupEligible, backupState, aaguid
        case attestationFormat, isAttested, discoverability, anomalies
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        id = try values.decode(Base64URL.self, forKey: .id)
        publicKey = try values.decode(Base64URL.self, forKey: .publicKey)
        algorithm = try values.decode(COSEAlgorithm.self, forKey: .algorithm)
        signCount = try values.decode(UInt32.self, forKey: .signCount)
        uvInitialized = try values.decodeIfPresent(Bool.self, forKey: .uvInitialized) ?? false
        transports = try values.decodeIfPresent([String].self, forKey: .transports) ?? []
        backupEligible = try values.decodeIfPresent(Bool.self, forKey: .backupEligible)
        backupState = try values.decodeIfPresent(Bool.self, forKey: .backupState)
        aaguid =
            try values.decodeIfPresent(Base64URL.self, forKey: .aaguid)
            ?? Base64URL(bytes: [UInt8](repeating: 0, count: 16))
        attestationFormat = try values.decodeIfPresent(AttestationFormat.self, forKey: .attestationFormat) ?? .none
        isAttested = try values.decodeIfPresent(Bool.self, forKey: .isAttested) ?? false
        discoverability = try values.decodeIfPresent(Discoverability.self, forKey: .discoverability) ?? .unknown
        anomalies = try values.decodeIfPresent([AssertionAnomaly].self, forKey: .anomalies) ?? []
    }
}
