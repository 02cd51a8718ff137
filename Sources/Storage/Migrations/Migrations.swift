/// The numbered steps from an empty database to today's schema, in order.
///
/// A step that was ever released is never changed. Statements are written in types that both databases know or have one for:
/// `INTEGER` is a 64-bit integer, `BLOB` is bytes, `AUTONUMBER` is a primary key that counts by itself. Times are
/// milliseconds since 1970, UTC.
let migrations: [[StaticString]] = [
    foundation,
    ["CREATE INDEX account_email ON account (lower(email))"],
    [
        "CREATE TABLE familiar_source (key TEXT NOT NULL PRIMARY KEY, seen_at INTEGER NOT NULL)",
        "CREATE INDEX familiar_source_age ON familiar_source (seen_at)",
    ],
    ["ALTER TABLE offer ADD COLUMN installation BLOB"],
    remnants,
    sessionTables,
    accessTokens,
    migrationTables,
]
