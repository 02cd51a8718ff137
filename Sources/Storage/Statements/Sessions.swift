import GatehouseCore
import GatehouseKit

extension SQLTransaction: SessionReader, SessionWriter {
    func session(digest: TokenDigest) throws(ProviderFault) -> StoredSession? {
        let found = try first(
            """
            SELECT id, account, client, scope, assurance, created_at, authenticated_at, last_seen_at, expires_at,
                   idle_limit, successor, user_agent, address
            FROM session WHERE digest = $1
            """,
            [.blob(digest.bytes)],
            SessionRow.init
        )
        return try found.map { (row) throws(ProviderFault) in row.session(try evidence(in: row.id)) }
    }

    func sessions(of account: AccountID, at now: Timestamp) throws(ProviderFault) -> [StoredSession] {
        let rows = try connection.query(
            """
            SELECT id, account, client, scope, assurance, created_at, authenticated_at, last_seen_at, expires_at,
                   idle_limit, successor, user_agent, address
            FROM session WHERE account = $1 AND successor IS NULL AND expires_at > $2
            ORDER BY created_at DESC, id
            """,
            [.id(account), .time(now)],
            SessionRow.init
        )
        var sessions: [StoredSession] = []
        for row in rows { sessions.append(row.session(try evidence(in: row.id))) }
        return sessions
    }

    func isActive(_ id: SessionID, at now: Timestamp) throws(ProviderFault) -> Bool {
        try exists(
            "SELECT 1 FROM session WHERE id = $1 AND successor IS NULL AND expires_at > $2",
            [.id(id), .time(now)]
        )
    }

    func insert(_ issued: IssuedSession) throws(ProviderFault) {
        let session = issued.session
        try connection.execute(
            """
            INSERT INTO session
                (id, digest, account, client, scope, assurance, created_at, authenticated_at, last_seen_at, expires_at,
                 idle_limit, user_agent, address)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """,
            [
                .id(session.id), .blob(issued.token.digest.bytes), .id(session.account), .text(session.client.rawValue),
                .text(session.scope.rawValue), .text(session.assurance.rawValue), .time(session.createdAt),
                .time(session.authenticatedAt), .time(session.lastSeenAt), .time(session.expiresAt),
                .integer(session.idleLimit.milliseconds), .optional(session.userAgent), .optional(session.address),
            ]
        )
        for piece in session.evidence { try insert(piece, into: session.id) }
    }

    private func insert(_ piece: SessionEvidence, into session: SessionID) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO session_evidence (session, kind, credential, factors, traits, proved_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [
                .id(session), .text(piece.kind.description), .id(piece.credential),
                .integer(Int64(piece.proof.factors.rawValue)), .integer(piece.proof.traits), .time(piece.at),
            ]
        )
    }

    func supersede(_ id: SessionID, by successor: SessionID, until deadline: Timestamp) throws(ProviderFault)
        -> TokenDigest?
    {
        try digests(
            """
            UPDATE session
            SET successor = $1, expires_at = CASE WHEN expires_at < $2 THEN expires_at ELSE $2 END
            WHERE id = $3 AND successor IS NULL
            RETURNING digest
            """,
            [.id(successor), .time(deadline), .id(id)]
        ).first
    }

    func endSessions(_ selection: SessionSelection) throws(ProviderFault) -> [TokenDigest] {
        switch selection {
        case .one(let id):
            return try digests("DELETE FROM session WHERE id = $1 OR successor = $1 RETURNING digest", [.id(id)])
        case .account(let account, let kept):
            return try digests(
                """
                DELETE FROM session
                WHERE account = $1 AND id <> $2 AND COALESCE(successor, '-') <> $2
                RETURNING digest
                """,
                [.id(account), .text(kept?.text ?? "")]
            )
        case .credential(let credential, let kept):
            return try digests(
                """
                DELETE FROM session
                WHERE (id IN (SELECT session FROM session_evidence WHERE credential = $1)
                       OR successor IN (SELECT session FROM session_evidence WHERE credential = $1))
                    AND id <> $2 AND COALESCE(successor, '-') <> $2
                RETURNING digest
                """,
                [.id(credential), .text(kept?.text ?? "")]
            )
        }
    }

    func digests(_ sql: StaticString, _ values: [SQLValue]) throws(ProviderFault) -> [TokenDigest] {
        try connection.query(sql, values) { (row) throws(ProviderFault) in
            let bytes = row.blob(0)
            guard bytes.count == 32 else {
                throw ProviderFault("read a digest", code: bytes.count, kind: .storage)
            }
            return TokenDigest(bytes)
        }
    }

    func touch(_ id: SessionID, at time: Timestamp) throws(ProviderFault) {
        try connection.execute(
            "UPDATE session SET last_seen_at = $1 WHERE id = $2 AND last_seen_at < $1",
            [.time(time), .id(id)]
        )
    }

    private func evidence(in session: SessionID) throws(ProviderFault) -> [SessionEvidence] {
        try connection.query(
            """
            SELECT kind, credential, factors, traits, proved_at
            FROM session_evidence WHERE session = $1 ORDER BY proved_at, kind
            """,
            [.id(session)]
        ) { (row) throws(ProviderFault) in
            SessionEvidence(
                kind: try row.decode(0) { CredentialKind(untrusted: $0) },
                credential: row.id(1),
                proof: Proof(
                    factors: Proof.Factors(rawValue: UInt8(truncatingIfNeeded: row.integer(2))),
                    traits: row.integer(3)
                ),
                at: row.time(4)
            )
        }
    }
}

/// A session without its evidence, which stands in a table of its own.
private struct SessionRow {
    let id: SessionID
    let session: ([SessionEvidence]) -> StoredSession

    init(_ row: any SQLRow) throws(ProviderFault) {
        let id: SessionID = row.id(0)
        let account: AccountID = row.id(1)
        let client = try row.decode(2) { ClientKind(rawValue: $0) }
        let scope = try row.decode(3) { StoredSession.Scope(rawValue: $0) }
        let assurance = try row.decode(4) { Assurance(rawValue: $0) }
        let times = (5..<9).map { row.time($0) }
        let idleLimit = Timestamp.Span(milliseconds: row.integer(9))
        let successor: SessionID? = row.optionalID(10)
        let userAgent = row.optionalText(11)
        let address = row.optionalText(12)
        self.id = id
        session = { evidence in
            StoredSession(
                id: id,
                account: account,
                client: client,
                scope: scope,
                assurance: assurance,
                evidence: evidence,
                createdAt: times[0],
                authenticatedAt: times[1],
                lastSeenAt: times[2],
                expiresAt: times[3],
                idleLimit: idleLimit,
                successor: successor,
                userAgent: userAgent,
                address: address
            )
        }
    }
}

extension Proof {
    /// The yes-or-no traits as bits of a stored integer.
    fileprivate var traits: Int64 {
        (phishingResistant ? 1 : 0) | (userVerified ? 2 : 0) | (deviceBound ? 4 : 0) | (attested ? 8 : 0)
    }

    fileprivate init(factors: Factors, traits: Int64) {
        self.init(
            factors: factors,
            phishingResistant: traits & 1 != 0,
            userVerified: traits & 2 != 0,
            deviceBound: traits & 4 != 0,
            attested: traits & 8 != 0
        )
    }
}
