import GatehouseCore
import GatehouseKit
import HTTPFront
import Storage

/// One account in a list.
struct AccountLine: Encodable {
    let id: String
    let username: String
    let displayName: String
    let email: String?
    let groups: [String]
    let disabled: Bool
    let createdAt: Timestamp

    init(_ account: Account) {
        id = account.id.text
        username = account.username
        displayName = account.displayName
        email = account.email
        groups = account.groups
        disabled = account.isDisabled
        createdAt = account.createdAt
    }

    var text: String {
        let groups = groups.isEmpty ? "" : " [\(groups.joined(separator: ", "))]"
        return "\(username)\(groups)\(disabled ? " disabled" : "")"
    }
}

/// One account with what hangs on it.
struct AccountDetails: Encodable {
    let account: AccountLine
    let credentials: [Credential]
    let sessions: [Session]
    let events: [Event]

    struct Credential: Encodable {
        let id: String
        let kind: String
        let name: String?
        let createdAt: Timestamp
        let lastUsedAt: Timestamp?
        /// `nil` if the record can't be read, which is when one wants to see the rest.
        let warnings: [CredentialAnomaly]?

        init(_ credential: StoredCredential, _ registry: ProviderRegistry) {
            id = credential.id.text
            kind = credential.kind.description
            name = credential.record.name
            createdAt = credential.record.createdAt
            lastUsedAt = credential.record.lastUsedAt
            do throws(ProviderFault) {
                warnings = try registry[credential.kind]?.anomalies(of: credential.record) ?? []
            } catch { warnings = nil }
        }

        var text: String {
            AccountDetails.line(kind, name, "since", createdAt.rfc3339, flags)
        }

        private var flags: String? {
            guard let warnings else { return "can't be read" }
            return warnings.isEmpty ? nil : "flagged: \(warnings.map(\.rawValue).joined(separator: ", "))"
        }
    }

    struct Session: Encodable {
        let id: String
        let methods: [String]
        let assurance: String
        let lastSeenAt: Timestamp
        let address: String?
    }

    struct Event: Encodable {
        let at: Timestamp
        let action: String
        let kind: String?
        let code: String?
        let reason: String?
        let address: String?
    }

    init(_ account: Account, _ composition: Composition) throws(ProviderFault) {
        let now = composition.clock.now
        let (held, open, past) = try composition.storage.read { (reader) throws(ProviderFault) in
            (
                try reader.credentials(of: account.id), try reader.sessions(of: account.id, at: now),
                try reader.auditEvents(of: account.id, limit: 20)
            )
        }
        self.account = AccountLine(account)
        credentials = held.map { Credential($0, composition.services.registry) }
        sessions = open.map {
            Session(
                id: $0.id.text,
                methods: $0.methods.map(\.description),
                assurance: $0.assurance.rawValue,
                lastSeenAt: $0.lastSeenAt,
                address: $0.address
            )
        }
        events = past.map {
            Event(
                at: $0.at,
                action: $0.action.rawValue,
                kind: $0.kind?.description,
                code: $0.code,
                reason: $0.reason,
                address: $0.address
            )
        }
    }

    var text: String {
        var lines = [account.text, "  \(account.displayName)\(account.email.map { " <\($0)>" } ?? "")"]
        lines += ["Credentials:"] + credentials.map(\.text)
        lines +=
            ["Sessions:"]
            + sessions.map { "  \($0.assurance) \($0.methods.joined(separator: ", ")) seen \($0.lastSeenAt.rfc3339)" }
        lines +=
            ["Events:"]
            + events.map { Self.line($0.at.rfc3339, $0.action, $0.kind, $0.reason, $0.address) }
        return lines.joined(separator: "\n")
    }

    /// The parts that there are, indented.
    private static func line(_ parts: String?...) -> String { "  " + parts.compactMap(\.self).joined(separator: " ") }
}
