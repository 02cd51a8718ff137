/// Schema 6: sign-ins in several steps, sessions that stay, and tokens whose session was ended.
let sessionTables: [StaticString] = [
    "ALTER TABLE ceremony ADD COLUMN remembered INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE session ADD COLUMN remembered INTEGER NOT NULL DEFAULT 0",
    """
    CREATE TABLE ceremony_evidence (
        ceremony   TEXT    NOT NULL REFERENCES ceremony (id) ON DELETE CASCADE,
        kind       TEXT    NOT NULL,
        credential TEXT    NOT NULL,
        factors    INTEGER NOT NULL,
        traits     INTEGER NOT NULL,
        proved_at  INTEGER NOT NULL,
        PRIMARY KEY (ceremony, kind)
    )
    """,
    "CREATE INDEX ceremony_evidence_credential ON ceremony_evidence (credential)",
    "CREATE INDEX ceremony_account ON ceremony (account) WHERE account IS NOT NULL",
    """
    CREATE TABLE ended_session (
        digest     BLOB    NOT NULL PRIMARY KEY,
        session    TEXT    NOT NULL,
        account    TEXT    NOT NULL,
        expires_at INTEGER NOT NULL,
        used_at    INTEGER
    )
    """,
    "CREATE INDEX ended_session_expiry ON ended_session (expires_at)",
]
