import GatehouseCore
import GatehouseKit

/// What deleted credentials left to be ended elsewhere is kept by the statements that delete, so that nobody can forget to.
extension SQLTransaction: RemnantReader, RemnantWriter {
    func keepRemnant(of credential: CredentialID) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO remnant (credential, account, kind, content, due_at, attempts)
            SELECT id, account, kind, remnant, 0, 0 FROM credential WHERE id = $1 AND remnant IS NOT NULL
            """,
            [.id(credential)]
        )
    }

    func keepRemnants(of kind: CredentialKind, in slot: [UInt8]) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO remnant (credential, account, kind, content, due_at, attempts)
            SELECT id, account, kind, remnant, 0, 0 FROM credential
            WHERE kind = $1 AND slot = $2 AND remnant IS NOT NULL
            """,
            [.text(kind.description), .blob(slot)]
        )
    }

    func keepRemnants(of account: AccountID) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO remnant (credential, account, kind, content, due_at, attempts)
            SELECT id, account, kind, remnant, 0, 0 FROM credential WHERE account = $1 AND remnant IS NOT NULL
            """,
            [.id(account)]
        )
    }

    func remnants(dueAt now: Timestamp, limit: Int) throws(ProviderFault) -> [StoredRemnant] {
        try connection.query(
            """
            SELECT credential, account, kind, content, attempts FROM remnant WHERE due_at <= $1 ORDER BY due_at LIMIT $2
            """,
            [.time(now), .integer(Int64(limit))]
        ) { (row) throws(ProviderFault) in
            StoredRemnant(
                credential: row.id(0),
                account: row.id(1),
                kind: try row.decode(2) { CredentialKind(untrusted: $0) },
                content: row.blob(3),
                attempts: row.integer(4)
            )
        }
    }

    func postponeRemnant(of credential: CredentialID, until due: Timestamp) throws(ProviderFault) {
        try connection.execute(
            "UPDATE remnant SET due_at = $1, attempts = attempts + 1 WHERE credential = $2",
            [.time(due), .id(credential)]
        )
    }

    func deleteRemnant(of credential: CredentialID) throws(ProviderFault) {
        try connection.execute("DELETE FROM remnant WHERE credential = $1", [.id(credential)])
    }
}
