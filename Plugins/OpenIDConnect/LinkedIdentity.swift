import FoundationEssentials
import GatehouseKit

/// The stored form of a subject that is linked to an account, in JSON.
///
/// Names stay, and new ones are optional.
struct LinkedIdentity: Codable {
    let issuer: String
    let subject: String
    /// The client that it was linked through.
    let clientID: String
    /// For people to tell their identities apart; no account is found by it.
    let email: String?
    let isPrivateEmail: Bool
    /// Whether the person has switched mail to the address off.
    var isMailDisabled: Bool?
    /// When what the issuer last told of it happened, in milliseconds since 1970.
    var noticedAt: Int64?

    func noticing(_ event: CredentialNotice.Event, at time: Int64) -> LinkedIdentity {
        var identity = self
        identity.noticedAt = time
        if !event.endsCredential { identity.isMailDisabled = event == .mailDisabled }
        return identity
    }

    func encoded() throws(ProviderFault) -> [UInt8] {
        do {
            return [UInt8](try JSONEncoder().encode(self))
        } catch { throw ProviderFault("encode linked identity", code: 0) }
    }

    /// - Throws: ``ProviderFault`` if it isn't what we stored.
    static func decode(_ bytes: [UInt8]) throws(ProviderFault) -> LinkedIdentity {
        do {
            return try JSONDecoder().decode(LinkedIdentity.self, from: Data(bytes))
        } catch { throw ProviderFault("decode linked identity", code: 0) }
    }
}

/// A linked identity as its owner sees it.
public struct IdentitySummary: Encodable, Sendable {
    let id: String
    let name: String
    let email: String?
    /// Whether the issuer made the address for us, so that it leads to the person through the issuer alone.
    let privateEmail: Bool
    /// Whether the person wants no mail at it.
    let mailDisabled: Bool
    let createdAt: Timestamp
    let lastUsedAt: Timestamp?
    /// Whether the session that asks was opened with it.
    let current: Bool

    init(_ record: CredentialRecord, _ identity: LinkedIdentity, isCurrent: Bool) {
        id = record.id.text
        name = record.name ?? identity.email ?? identity.issuer
        email = identity.email
        privateEmail = identity.isPrivateEmail
        mailDisabled = identity.isMailDisabled ?? false
        createdAt = record.createdAt
        lastUsedAt = record.lastUsedAt
        current = isCurrent
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, email, privateEmail, mailDisabled, createdAt, lastUsedAt, current
    }

    /// With every member, as the synthesized form leaves out what is `nil`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(email, forKey: .email)
        try container.encode(privateEmail, forKey: .privateEmail)
        try container.encode(mailDisabled, forKey: .mailDisabled)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(lastUsedAt, forKey: .lastUsedAt)
        try container.encode(current, forKey: .current)
    }
}
