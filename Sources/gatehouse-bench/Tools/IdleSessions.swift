import CSQLite
import Foundation

/// Sessions that nobody uses: copies of one that is there, with tokens that nobody knows.
enum IdleSessions {
    static func add(_ count: Int, to path: String) throws {
        var database: OpaquePointer?
        defer { unsafe sqlite3_close(database) }
        guard unsafe sqlite3_open(path, &database) == SQLITE_OK else { throw ScenarioFault(reason: "no database") }
        for statement in statements(count) {
            let code = unsafe sqlite3_exec(database, statement, nil, nil, nil)
            guard code == SQLITE_OK else {
                throw ScenarioFault(reason: unsafe String(cString: sqlite3_errmsg(database)))
            }
        }
    }

    private static func statements(_ count: Int) -> [String] {
        let columns = """
            account, client, scope, assurance, created_at, authenticated_at, last_seen_at, expires_at, idle_limit,
            user_agent, address, remembered
            """
        return [
            "PRAGMA busy_timeout = 10000",
            "PRAGMA synchronous = OFF",
            "BEGIN",
            """
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(count))
            INSERT INTO session (id, digest, \(columns))
            SELECT hex(randomblob(16)), randomblob(32), \(columns)
            FROM number, (SELECT * FROM session LIMIT 1)
            """,
            """
            INSERT INTO session_evidence
            SELECT session.id, kind, credential, factors, traits, proved_at
            FROM session, (SELECT * FROM session_evidence LIMIT 1) WHERE length(session.id) = 32
            """,
            "COMMIT",
        ]
    }
}
