import GatehouseKit

/// A device as its owner sees it.
public struct TrustedDeviceSummary: Encodable, Sendable {
    /// For the routes; the device knows itself by ``deviceId``.
    let id: String
    let deviceId: String
    let name: String
    let platform: String
    let appId: String
    let algorithm = TrustedDevice.algorithm
    /// `active`, or `expired` after a long time without use; devices that are revoked or replaced are deleted.
    let status: String
    let createdAt: Timestamp
    let lastUsedAt: Timestamp?
    /// What was attested, and how the user is asked if that was attested as well.
    let attestation: String?
    let unlockPolicy: String?
    /// Whether the session that asks was opened with it.
    let current: Bool

    init(_ record: CredentialRecord, _ device: TrustedDevice, isCurrent: Bool, isExpired: Bool) {
        id = record.id.text
        deviceId = device.deviceID
        name = record.name ?? "Trusted device"
        platform = device.platform
        appId = device.appID
        status = isExpired ? "expired" : "active"
        attestation = device.attestation?.format.rawValue
        unlockPolicy = device.attestation?.unlock?.rawValue
        createdAt = record.createdAt
        lastUsedAt = record.lastUsedAt
        current = isCurrent
    }

    private enum CodingKeys: String, CodingKey {
        case id, deviceId, name, platform, appId, algorithm, status, attestation, unlockPolicy, createdAt
        case lastUsedAt, current
    }

    /// With every member, as the synthesized form leaves out what is `nil`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(deviceId, forKey: .deviceId)
        try container.encode(name, forKey: .name)
        try container.encode(platform, forKey: .platform)
        try container.encode(appId, forKey: .appId)
        try container.encode(algorithm, forKey: .algorithm)
        try container.encode(status, forKey: .status)
        try container.encode(attestation, forKey: .attestation)
        try container.encode(unlockPolicy, forKey: .unlockPolicy)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(lastUsedAt, forKey: .lastUsedAt)
        try container.encode(current, forKey: .current)
    }
}
