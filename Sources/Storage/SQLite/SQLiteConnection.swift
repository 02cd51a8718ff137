import CSQLite
import GatehouseKit

/// One SQLite connection, owned by one thread at a time.
///
/// Not `Sendable`: whoever shares it hands it from thread to thread under a lock. Opened without SQLite's own mutex for that
/// reason.
@safe
final class SQLiteConnection: SQLConnection {
    private let handle: OpaquePointer
    /// Compiled statements by the address of their text, which is a literal and lives for ever.
    private var statements: [UInt: SQLiteStatement] = [:]

    /// How long a statement waits for another process that writes, before it fails as busy.
    static let busyMilliseconds: Int32 = 1_000

    init(path: String, isWriter: Bool) throws(ProviderFault) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | (isWriter ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_NOMUTEX
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            // A failed open still allocates a handle, to hold the message.
            unsafe sqlite3_close_v2(opened)
            throw ProviderFault("open database", code: Int(code), kind: .storage)
        }
        unsafe handle = opened
        unsafe sqlite3_extended_result_codes(handle, 1)
        unsafe sqlite3_busy_timeout(handle, Self.busyMilliseconds)
    }

    deinit {
        statements.removeAll()
        // _v2: closes once the last statement is finalized, in whatever order ARC releases them.
        unsafe sqlite3_close_v2(handle)
    }

    func query<Value>(
        _ sql: StaticString,
        _ parameters: [SQLValue],
        _ read: (any SQLRow) throws(ProviderFault) -> Value
    ) throws(ProviderFault) -> [Value] {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(parameters)
        var values: [Value] = []
        while try statement.step() { values.append(try read(statement)) }
        return values
    }

    @discardableResult
    func execute(_ sql: StaticString, _ parameters: [SQLValue] = []) throws(ProviderFault) -> Int {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(parameters)
        while try statement.step() {}
        return Int(unsafe sqlite3_changes(handle))
    }

    /// Runs text that isn't worth keeping compiled: schema changes and pragmas.
    func run(_ sql: String) throws(ProviderFault) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw ProviderFault("execute statement", code: Int(code), kind: .storage) }
    }

    /// Whether a failed statement took the whole transaction with it, as a full disk does.
    var hasNoTransaction: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

    private func prepared(_ sql: StaticString) throws(ProviderFault) -> SQLiteStatement {
        let key = unsafe UInt(bitPattern: sql.utf8Start)
        if let statement = statements[key] { return statement }
        var compiled: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            handle,
            sql.description,
            -1,
            UInt32(SQLITE_PREPARE_PERSISTENT),
            &compiled,
            nil
        )
        guard code == SQLITE_OK, let compiled = unsafe compiled else {
            throw ProviderFault("prepare statement", code: Int(code), kind: .storage)
        }
        let statement = unsafe SQLiteStatement(compiled)
        statements[key] = statement
        return statement
    }
}

/// A compiled statement, and the row it stands on.
@safe
private final class SQLiteStatement: SQLRow {
    private let handle: OpaquePointer
    /// SQLite numbers `$1`, `$2` by first appearance, not by their digits.
    private let positions: [Int32]

    init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
        let count = unsafe sqlite3_bind_parameter_count(handle)
        positions = (0..<count).map { unsafe sqlite3_bind_parameter_index(handle, "$\($0 + 1)") }
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Text goes in by length and not as a C string, which would end at the first NUL a visitor put in it.
    func bind(_ values: [SQLValue]) throws(ProviderFault) {
        precondition(values.count == positions.count, "a statement and its values must agree")
        let copy = unsafe gatehouse_sqlite_transient()
        for (value, position) in zip(values, positions) {
            let code: Int32
            switch value {
            case .null: code = unsafe sqlite3_bind_null(handle, position)
            case .integer(let value): code = unsafe sqlite3_bind_int64(handle, position, value)
            case .text(let value):
                let utf8 = Array(value.utf8)
                code = unsafe sqlite3_bind_text(handle, position, utf8, Int32(utf8.count), copy)
            case .blob(let value):
                code =
                    value.isEmpty
                    ? unsafe sqlite3_bind_zeroblob(handle, position, 0)
                    : unsafe sqlite3_bind_blob(handle, position, value, Int32(value.count), copy)
            }
            guard code == SQLITE_OK else { throw ProviderFault("bind parameter", code: Int(code), kind: .storage) }
        }
    }

    /// Runs to the next row.
    ///
    /// `false` when there are no more.
    func step() throws(ProviderFault) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw ProviderFault("step statement", code: Int(code), kind: .storage)
        }
    }

    /// Makes the statement ready for the next use, and drops its parameters: they may be secrets.
    func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func text(_ column: Int32) -> String {
        guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func blob(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}
