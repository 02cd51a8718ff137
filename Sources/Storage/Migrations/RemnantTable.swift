/// Schema 4: what deleted credentials leave to be ended at other hosts.
let remnants: [StaticString] = [
    "ALTER TABLE credential ADD COLUMN remnant BLOB",
    """
    CREATE TABLE remnant (
        credential TEXT    NOT NULL PRIMARY KEY,
        account    TEXT    NOT NULL,
        kind       TEXT    NOT NULL,
        content    BLOB    NOT NULL,
        due_at     INTEGER NOT NULL,
        attempts   INTEGER NOT NULL
    )
    """,
    "CREATE INDEX remnant_due ON remnant (due_at)",
]
