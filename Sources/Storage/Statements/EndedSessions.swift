import GatehouseCore
import GatehouseKit

/// The end of sessions, and of what else hangs on the same proof.
extension SQLTransaction {
    func endSessions(_ selection: SessionSelection) throws(ProviderFault) -> [TokenDigest] {
        switch selection {
        case .one(let id):
            return try ended(
                "DELETE FROM session WHERE id = $1 OR successor = $1 RETURNING digest, id, account, expires_at",
                [.id(id)]
            )
        case .account(let account, let kept):
            try connection.execute(
                "DELETE FROM ceremony WHERE account = $1 AND purpose = 'second-factor'",
                [.id(account)]
            )
            return try ended(
                """
                DELETE FROM session
                WHERE account = $1 AND id <> $2 AND COALESCE(successor, '-') <> $2
                RETURNING digest, id, account, expires_at
                """,
                [.id(account), .text(kept?.text ?? "")]
            )
        case .credential(let credential, let kept):
            try connection.execute(
                "DELETE FROM ceremony WHERE id IN (SELECT ceremony FROM ceremony_evidence WHERE credential = $1)",
                [.id(credential)]
            )
            return try ended(
                """
                DELETE FROM session
                WHERE (id IN (SELECT session FROM session_evidence WHERE credential = $1)
                       OR successor IN (SELECT session FROM session_evidence WHERE credential = $1))
                    AND id <> $2 AND COALESCE(successor, '-') <> $2
                RETURNING digest, id, account, expires_at
                """,
                [.id(credential), .text(kept?.text ?? "")]
            )
        }
    }

    /// Remembers the tokens, for as long as they would have been good.
    private func ended(_ sql: StaticString, _ values: [SQLValue]) throws(ProviderFault) -> [TokenDigest] {
        let rows = try connection.query(sql, values) { (row) throws(ProviderFault) in
            (digest: try row.tokenDigest(0), session: row.text(1), account: row.text(2), expiresAt: row.time(3))
        }
        for row in rows {
            try connection.execute(
                """
                INSERT INTO ended_session (digest, session, account, expires_at) VALUES ($1, $2, $3, $4)
                ON CONFLICT (digest) DO NOTHING
                """,
                [.blob(row.digest.bytes), .text(row.session), .text(row.account), .time(row.expiresAt)]
            )
        }
        return rows.map(\.digest)
    }

    func endedSession(digest: TokenDigest) throws(ProviderFault) -> EndedSession? {
        try first(
            "SELECT session, account, used_at FROM ended_session WHERE digest = $1",
            [.blob(digest.bytes)]
        ) { (row) throws(ProviderFault) in
            EndedSession(session: row.id(0), account: row.id(1), wasUsed: !row.isNull(2))
        }
    }

    func markUsed(_ digest: TokenDigest, at now: Timestamp) throws(ProviderFault) -> Bool {
        try changesOne(
            "UPDATE ended_session SET used_at = $1 WHERE digest = $2 AND used_at IS NULL",
            [.time(now), .blob(digest.bytes)]
        )
    }
}

extension SQLRow {
    func tokenDigest(_ column: Int32) throws(ProviderFault) -> TokenDigest {
        let bytes = blob(column)
        guard bytes.count == 32 else {
            throw ProviderFault("read a session digest", code: bytes.count, kind: .storage)
        }
        return TokenDigest(bytes)
    }
}
