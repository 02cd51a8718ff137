/// Schema 8: the way from passwords to passkeys, by cohort, account and day.
let migrationTables: [StaticString] = [
    """
    CREATE TABLE migration_stage (
        cohort   TEXT    NOT NULL PRIMARY KEY,
        stage    TEXT    NOT NULL,
        deadline INTEGER,
        grace    INTEGER NOT NULL,
        set_at   INTEGER NOT NULL
    )
    """,
    """
    CREATE TABLE migration_account (
        account       TEXT    NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
        eligible_at   INTEGER,
        offered_at    INTEGER,
        enrolled_at   INTEGER,
        first_used_at INTEGER,
        retired_at    INTEGER,
        reinstated_at INTEGER,
        grace_used    INTEGER NOT NULL,
        grace_from    INTEGER
    )
    """,
    """
    CREATE TABLE migration_count (
        day    INTEGER NOT NULL,
        cohort TEXT    NOT NULL,
        name   TEXT    NOT NULL,
        label  TEXT    NOT NULL,
        count  INTEGER NOT NULL,
        PRIMARY KEY (day, cohort, name, label)
    )
    """,
]
