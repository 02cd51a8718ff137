import GatehouseCore
import GatehouseKit

extension SQLTransaction: AccessTokenReader, AccessTokenWriter {
    func accessToken(digest: TokenDigest) throws(ProviderFault) -> StoredAccessToken? {
        try first(
            """
            SELECT id, account, name, hosts, paths, methods, created_at, expires_at, last_used_at
            FROM access_token WHERE digest = $1
            """,
            [.blob(digest.bytes)],
            Self.accessToken
        )
    }

    func accessTokens(of account: AccountID) throws(ProviderFault) -> [StoredAccessToken] {
        try connection.query(
            """
            SELECT id, account, name, hosts, paths, methods, created_at, expires_at, last_used_at
            FROM access_token WHERE account = $1 ORDER BY created_at DESC, id
            """,
            [.id(account)],
            Self.accessToken
        )
    }

    func insert(_ token: StoredAccessToken, digest: TokenDigest) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO access_token (id, digest, account, name, hosts, paths, methods, created_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            [
                .id(token.id), .blob(digest.bytes), .id(token.account), .text(token.name),
                .text(Self.lines(token.scope.hosts.map(\.description))),
                .text(Self.lines(token.scope.paths.map(\.description))), .text(Self.lines(token.scope.methods)),
                .time(token.createdAt), .time(token.expiresAt),
            ]
        )
    }

    func deleteAccessTokens(_ selection: AccessTokenSelection) throws(ProviderFault) -> [TokenDigest] {
        switch selection {
        case .one(let id): try digests("DELETE FROM access_token WHERE id = $1 RETURNING digest", .id(id))
        case .account(let account):
            try digests("DELETE FROM access_token WHERE account = $1 RETURNING digest", .id(account))
        }
    }

    private func digests(_ sql: StaticString, _ id: SQLValue) throws(ProviderFault) -> [TokenDigest] {
        try connection.query(sql, [id]) { (row) throws(ProviderFault) in try row.tokenDigest(0) }
    }

    func touchAccessToken(_ id: CredentialID, at time: Timestamp) throws(ProviderFault) {
        try connection.execute(
            "UPDATE access_token SET last_used_at = $1 WHERE id = $2 AND COALESCE(last_used_at, 0) < $1",
            [.time(time), .id(id)]
        )
    }

    private static func accessToken(_ row: any SQLRow) throws(ProviderFault) -> StoredAccessToken {
        let hosts = try patterns(row, 3, HostPattern.init)
        let paths = try patterns(row, 4, PathPattern.init)
        guard let scope = AccessScope(hosts: hosts, paths: paths, methods: lines(row.text(5))) else {
            throw ProviderFault("read the scope of an access token", code: hosts.count, kind: .storage)
        }
        return StoredAccessToken(
            id: row.id(0),
            account: row.id(1),
            name: row.text(2),
            scope: scope,
            createdAt: row.time(6),
            expiresAt: row.time(7),
            lastUsedAt: row.optionalTime(8)
        )
    }

    /// All of them or none: a pattern that is left out could leave the token without any, which means everything.
    private static func patterns<Pattern>(
        _ row: any SQLRow,
        _ column: Int32,
        _ make: (String) -> Pattern?
    ) throws(ProviderFault) -> [Pattern] {
        try row.decode(column) { text in
            let lines = lines(text)
            let patterns = lines.compactMap(make)
            return patterns.count == lines.count ? patterns : nil
        }
    }

    private static func lines(_ values: [String]) -> String { values.joined(separator: "\n") }

    private static func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
}
