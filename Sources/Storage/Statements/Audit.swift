import GatehouseCore
import GatehouseKit

extension SQLTransaction: AuditReader, AuditWriter {
    func append(_ event: AuditEvent) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO audit_event (at, action, account, credential, session, kind, code, reason, address, request)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            [
                .time(event.at), .text(event.action.rawValue), .optional(event.account), .optional(event.credential),
                .optional(event.session), .optional(event.kind?.description), .optional(event.code),
                .optional(event.reason), .optional(event.address), .optional(event.requestID),
            ]
        )
    }

    func auditEvents(of account: AccountID, limit: Int) throws(ProviderFault) -> [AuditEvent] {
        try connection.query(
            """
            SELECT at, action, account, credential, session, kind, code, reason, address, request
            FROM audit_event WHERE account = $1 ORDER BY number DESC LIMIT $2
            """,
            [.id(account), .integer(Int64(limit))]
        ) { (row) throws(ProviderFault) in
            AuditEvent(
                at: row.time(0),
                action: try row.decode(1) { AuditEvent.Action(rawValue: $0) },
                account: row.optionalID(2),
                credential: row.optionalID(3),
                session: row.optionalID(4),
                kind: row.optionalText(5).flatMap { CredentialKind(untrusted: $0) },
                code: row.optionalText(6),
                reason: row.optionalText(7),
                address: row.optionalText(8),
                requestID: row.optionalText(9)
            )
        }
    }
}

extension SQLTransaction: StorageWriter {}
