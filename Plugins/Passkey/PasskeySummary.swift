import GatehouseKit
import WebAuthn

/// A passkey as its owner sees it; what is unknown is null.
public struct PasskeySummary: Encodable, Sendable {
    /// Ours, for the routes; not WebAuthn's.
    let id: String
    let name: String
    /// Who keeps the passkey, as far as the authenticator says: a claim, to be shown and nothing more.
    let provider: String?
    /// Its picture, as a `data:` URL.
    let providerIcon: String?
    let createdAt: Timestamp
    let lastUsedAt: Timestamp?
    let transports: [String]
    let backupEligible: Bool?
    let backedUp: Bool?
    let deviceBound: Bool
    /// Whether it can be used without a user name; the client's word.
    let discoverable: Bool?
    /// What its sign-ins showed that they shouldn't.
    let warnings: [CredentialAnomaly]

    init(_ record: GatehouseKit.CredentialRecord, _ passkey: WebAuthn.CredentialRecord, keeper: PasskeyKeeper?) {
        id = record.id.text
        provider = keeper?.name
        providerIcon = keeper?.icon
        name = record.name ?? provider ?? "Passkey"
        createdAt = record.createdAt
        lastUsedAt = record.lastUsedAt
        transports = passkey.transports
        backupEligible = passkey.backupEligible
        backedUp = passkey.backupState
        deviceBound = passkey.isDeviceBound
        discoverable = passkey.discoverability.isDiscoverable
        warnings = passkey.anomalies.map(CredentialAnomaly.init)
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, provider, providerIcon, createdAt, lastUsedAt, transports, backupEligible, backedUp, deviceBound
        case discoverable, warnings
    }

    /// With every member, as the synthesized form leaves out what is `nil`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(provider, forKey: .provider)
        try container.encode(providerIcon, forKey: .providerIcon)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(lastUsedAt, forKey: .lastUsedAt)
        try container.encode(transports, forKey: .transports)
        try container.encode(backupEligible, forKey: .backupEligible)
        try container.encode(backedUp, forKey: .backedUp)
        try container.encode(deviceBound, forKey: .deviceBound)
        try container.encode(discoverable, forKey: .discoverable)
        try container.encode(warnings, forKey: .warnings)
    }
}

extension Discoverability {
    /// `nil` where nobody said.
    fileprivate var isDiscoverable: Bool? {
        switch self {
        case .discoverable: true
        case .notDiscoverable: false
        case .unknown: nil
        }
    }
}
