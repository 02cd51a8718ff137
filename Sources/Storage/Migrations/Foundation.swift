/// Schema 1.
let foundation: [StaticString] = [
    """
    CREATE TABLE account (
        id           TEXT    NOT NULL PRIMARY KEY,
        identifier   TEXT    NOT NULL UNIQUE,
        username     TEXT    NOT NULL,
        display_name TEXT    NOT NULL,
        email        TEXT,
        user_handle  BLOB    NOT NULL UNIQUE,
        member_of    TEXT    NOT NULL,
        disabled_at  INTEGER,
        created_at   INTEGER NOT NULL
    )
    """,
    """
    CREATE TABLE credential (
        id            TEXT    NOT NULL PRIMARY KEY,
        account       TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        kind          TEXT    NOT NULL,
        key           BLOB    NOT NULL,
        slot          BLOB,
        payload       BLOB    NOT NULL,
        version       INTEGER NOT NULL,
        name          TEXT,
        created_at    INTEGER NOT NULL,
        last_used_at  INTEGER,
        settles_at    INTEGER NOT NULL,
        user_verified INTEGER NOT NULL,
        UNIQUE (kind, key)
    )
    """,
    "CREATE INDEX credential_account ON credential (account)",
    "CREATE UNIQUE INDEX credential_slot ON credential (kind, slot) WHERE slot IS NOT NULL",
    """
    CREATE TABLE ceremony (
        id          TEXT    NOT NULL PRIMARY KEY,
        purpose     TEXT    NOT NULL,
        kinds       TEXT    NOT NULL,
        identifier  TEXT,
        account     TEXT,
        session     TEXT,
        challenge   BLOB    NOT NULL,
        client      TEXT    NOT NULL,
        mediation   TEXT    NOT NULL,
        device      TEXT,
        return_to   TEXT,
        signup      BLOB,
        memo        BLOB    NOT NULL,
        begun_at    INTEGER NOT NULL,
        expires_at  INTEGER NOT NULL,
        attempts    INTEGER NOT NULL,
        consumed_at INTEGER
    )
    """,
    "CREATE INDEX ceremony_expiry ON ceremony (expires_at)",
    """
    CREATE TABLE session (
        id               TEXT    NOT NULL PRIMARY KEY,
        digest           BLOB    NOT NULL UNIQUE,
        account          TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        client           TEXT    NOT NULL,
        scope            TEXT    NOT NULL,
        assurance        TEXT    NOT NULL,
        created_at       INTEGER NOT NULL,
        authenticated_at INTEGER NOT NULL,
        last_seen_at     INTEGER NOT NULL,
        expires_at       INTEGER NOT NULL,
        idle_limit       INTEGER NOT NULL,
        successor        TEXT,
        user_agent       TEXT,
        address          TEXT
    )
    """,
    "CREATE INDEX session_account ON session (account)",
    "CREATE INDEX session_expiry ON session (expires_at)",
    "CREATE INDEX session_successor ON session (successor)",
    """
    CREATE TABLE session_evidence (
        session    TEXT    NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        kind       TEXT    NOT NULL,
        credential TEXT    NOT NULL,
        factors    INTEGER NOT NULL,
        traits     INTEGER NOT NULL,
        proved_at  INTEGER NOT NULL,
        PRIMARY KEY (session, kind)
    )
    """,
    "CREATE INDEX session_evidence_credential ON session_evidence (credential)",
    """
    CREATE TABLE offer (
        id          TEXT    NOT NULL PRIMARY KEY,
        account     TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        session     TEXT    NOT NULL,
        kind        TEXT    NOT NULL,
        mode        TEXT    NOT NULL,
        made_at     INTEGER NOT NULL,
        answer      TEXT,
        answered_at INTEGER
    )
    """,
    "CREATE INDEX offer_account ON offer (account, kind)",
    """
    CREATE TABLE link (
        digest     BLOB    NOT NULL PRIMARY KEY,
        purpose    TEXT    NOT NULL,
        account    TEXT    REFERENCES account (id) ON DELETE CASCADE,
        expires_at INTEGER NOT NULL,
        used_at    INTEGER
    )
    """,
    """
    CREATE TABLE setting (
        name  TEXT NOT NULL PRIMARY KEY,
        value BLOB NOT NULL
    )
    """,
    """
    CREATE TABLE throttle (
        key             TEXT    NOT NULL PRIMARY KEY,
        failures        INTEGER NOT NULL,
        blocked_until   INTEGER NOT NULL,
        last_failure_at INTEGER NOT NULL
    )
    """,
    "CREATE INDEX throttle_age ON throttle (last_failure_at)",
    """
    CREATE TABLE audit_event (
        number     AUTONUMBER,
        at         INTEGER NOT NULL,
        action     TEXT    NOT NULL,
        account    TEXT,
        credential TEXT,
        session    TEXT,
        kind       TEXT,
        code       TEXT,
        reason     TEXT,
        address    TEXT,
        request    TEXT
    )
    """,
    "CREATE INDEX audit_event_account ON audit_event (account, number)",
]
