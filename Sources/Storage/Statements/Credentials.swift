import GatehouseCore
import GatehouseKit

extension SQLTransaction: CredentialReader, CredentialWriter {
    func credential(_ id: CredentialID) throws(ProviderFault) -> StoredCredential? {
        try first(
            """
            SELECT id, account, key, payload, version, name, created_at, last_used_at, kind, slot, settles_at, user_verified,
                remnant
            FROM credential WHERE id = $1
            """,
            [.id(id)],
            Self.credential
        )
    }

    func credential(kind: CredentialKind, key: [UInt8]) throws(ProviderFault) -> StoredCredential? {
        try first(
            """
            SELECT id, account, key, payload, version, name, created_at, last_used_at, kind, slot, settles_at, user_verified,
                remnant
            FROM credential WHERE kind = $1 AND key = $2
            """,
            [.text(kind.description), .blob(key)],
            Self.credential
        )
    }

    func credentials(of account: AccountID) throws(ProviderFault) -> [StoredCredential] {
        try connection.query(
            """
            SELECT id, account, key, payload, version, name, created_at, last_used_at, kind, slot, settles_at, user_verified,
                remnant
            FROM credential WHERE account = $1 ORDER BY created_at, id
            """,
            [.id(account)],
            Self.credential
        )
    }

    func hasCredentials(of kind: CredentialKind) throws(ProviderFault) -> Bool {
        try exists("SELECT 1 FROM credential WHERE kind = $1 LIMIT 1", [.text(kind.description)])
    }

    func insert(_ credential: StoredCredential) throws(ProviderFault) -> Bool {
        let record = credential.record
        return try changesOne(
            """
            INSERT INTO credential
                (id, account, kind, key, slot, payload, version, name, created_at, last_used_at, settles_at, user_verified,
                remnant)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, NULL, $10, $11, $12)
            ON CONFLICT DO NOTHING
            """,
            [
                .id(record.id), .id(record.account), .text(credential.kind.description), .blob(record.key),
                .optional(credential.slot), .blob(record.payload), .integer(record.version), .optional(record.name),
                .time(record.createdAt), .time(credential.settlesAt), .bool(credential.userVerified),
                .optional(credential.remnant),
            ]
        )
    }

    func apply(_ change: CredentialChange, to id: CredentialID) throws(ProviderFault) -> Bool {
        try changesOne(
            "UPDATE credential SET payload = $1, version = version + 1 WHERE id = $2 AND version = $3",
            [.blob(change.payload), .id(id), .integer(change.version)]
        )
    }

    func markUsed(_ id: CredentialID, at time: Timestamp, userVerified: Bool) throws(ProviderFault) -> Bool {
        try changesOne(
            """
            UPDATE credential
            SET last_used_at = $1, user_verified = CASE WHEN user_verified > $2 THEN user_verified ELSE $2 END
            WHERE id = $3
            """,
            [.time(time), .bool(userVerified), .id(id)]
        )
    }

    func rename(_ id: CredentialID, to name: String) throws(ProviderFault) -> Bool {
        try changesOne("UPDATE credential SET name = $1 WHERE id = $2", [.text(name), .id(id)])
    }

    func delete(_ id: CredentialID) throws(ProviderFault) -> Bool {
        try keepRemnant(of: id)
        return try changesOne("DELETE FROM credential WHERE id = $1", [.id(id)])
    }

    func deleteCredentials(of kind: CredentialKind, in slot: [UInt8]) throws(ProviderFault) -> [StoredCredential] {
        try keepRemnants(of: kind, in: slot)
        return try connection.query(
            """
            DELETE FROM credential WHERE kind = $1 AND slot = $2
            RETURNING id, account, key, payload, version, name, created_at, last_used_at, kind, slot, settles_at,
                user_verified, remnant
            """,
            [.text(kind.description), .blob(slot)],
            Self.credential
        )
    }

    private static func credential(_ row: any SQLRow) throws(ProviderFault) -> StoredCredential {
        StoredCredential(
            record: CredentialRecord(
                id: row.id(0),
                account: row.id(1),
                key: row.blob(2),
                payload: row.blob(3),
                version: row.integer(4),
                name: row.optionalText(5),
                createdAt: row.time(6),
                lastUsedAt: row.optionalTime(7)
            ),
            kind: try row.decode(8) { CredentialKind(untrusted: $0) },
            slot: row.optionalBlob(9),
            settlesAt: row.time(10),
            userVerified: row.bool(11),
            remnant: row.optionalBlob(12)
        )
    }
}
