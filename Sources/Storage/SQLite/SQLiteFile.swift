public import GatehouseKit

/// A database file that can't be used.
public enum StorageOpenError: Error, Equatable {
    /// Another gateway has it open.
    case inUse
    /// It belongs to another application.
    case foreign
    /// It was written by a newer version.
    case newer(schema: Int64, supported: Int64)
    case unreadable(ProviderFault)
}

/// Opens database files: settings, ownership, schema.
enum SQLiteFile {
    /// "Gate" in ASCII; stands in the file's header, so that we never write into somebody else's database.
    private static let applicationID: Int64 = 0x4761_7465

    static func openWriter(_ path: String) throws(StorageOpenError) -> SQLiteConnection {
        let connection: SQLiteConnection
        let header: Header
        do throws(ProviderFault) {
            connection = try SQLiteConnection(path: path, isWriter: true)
            header = try Header(of: connection)
        } catch { throw .unreadable(error) }
        guard header.isEmpty || header.application == applicationID else { throw .foreign }
        let latest = Int64(migrations.count)
        guard header.schema <= latest else { throw .newer(schema: header.schema, supported: latest) }
        do throws(ProviderFault) {
            try configure(connection)
            for number in header.schema..<latest { try migrate(connection, to: number + 1) }
        } catch { throw .unreadable(error) }
        return connection
    }

    static func openReader(_ path: String) throws(ProviderFault) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, isWriter: false)
        try connection.run("PRAGMA query_only = ON")
        return connection
    }

    /// `synchronous=FULL` in WAL mode: a commit that was acknowledged survives a power cut.
    ///
    /// `secure_delete`: what is deleted is overwritten, as with hashes that must not be kept.
    private static func configure(_ connection: SQLiteConnection) throws(ProviderFault) {
        try connection.run(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA secure_delete = ON;
            PRAGMA wal_autocheckpoint = 1000;
            """
        )
    }

    /// Runs one numbered step in a transaction of its own, so that a file is always at exactly one version.
    private static func migrate(_ connection: SQLiteConnection, to number: Int64) throws(ProviderFault) {
        let statements = migrations[Int(number) - 1].map(dialect).joined(separator: ";\n")
        do throws(ProviderFault) {
            try connection.run(
                """
                BEGIN IMMEDIATE;
                \(statements);
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(number);
                COMMIT
                """
            )
        } catch {
            if !connection.hasNoTransaction { try connection.run("ROLLBACK") }
            throw error
        }
    }

    /// A schema statement in SQLite's words.
    private static func dialect(_ statement: StaticString) -> String {
        let text = statement.description
        guard text.hasPrefix("CREATE TABLE") else { return text }
        return text.split(separator: "AUTONUMBER", omittingEmptySubsequences: false)
            .joined(separator: "INTEGER PRIMARY KEY") + " STRICT"
    }

    private struct Header {
        let application: Int64
        let schema: Int64
        let isEmpty: Bool

        init(of connection: SQLiteConnection) throws(ProviderFault) {
            application = try Self.number("PRAGMA application_id", connection)
            schema = try Self.number("PRAGMA user_version", connection)
            isEmpty = try Self.number("SELECT count(*) FROM sqlite_schema", connection) == 0
        }

        private static func number(_ sql: StaticString, _ connection: SQLiteConnection) throws(ProviderFault) -> Int64 {
            try connection.query(sql, []) { $0.integer(0) }.first ?? 0
        }
    }
}
