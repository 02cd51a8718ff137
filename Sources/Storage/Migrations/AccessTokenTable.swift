/// Schema 7: personal access tokens; patterns of hosts, paths and methods stand one a line.
let accessTokens: [StaticString] = [
    """
    CREATE TABLE access_token (
        id           TEXT    NOT NULL PRIMARY KEY,
        digest       BLOB    NOT NULL UNIQUE,
        account      TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        name         TEXT    NOT NULL,
        hosts        TEXT    NOT NULL,
        paths        TEXT    NOT NULL,
        methods      TEXT    NOT NULL,
        created_at   INTEGER NOT NULL,
        expires_at   INTEGER NOT NULL,
        last_used_at INTEGER
    )
    """,
    "CREATE INDEX access_token_account ON access_token (account)",
    "CREATE INDEX access_token_expiry ON access_token (expires_at)",
]
