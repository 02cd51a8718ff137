import GatehouseKit

/// One connection to a database, as the statements of this module need it.
///
/// Statements are written once, in SQL that SQLite and PostgreSQL both run: parameters are `$1`, `$2`, …, results come
/// through `RETURNING`, conflicts through `ON CONFLICT`. A `StaticString` can't hold interpolated input, so there is no way
/// to write an injection: values are bound.
protocol SQLConnection: AnyObject {
    /// Runs a statement and reads each row of its result.
    func query<Value>(
        _ sql: StaticString,
        _ parameters: [SQLValue],
        _ read: (any SQLRow) throws(ProviderFault) -> Value
    ) throws(ProviderFault) -> [Value]

    /// Runs a statement without a result.
    ///
    /// - Returns: how many rows it changed.
    @discardableResult
    func execute(_ sql: StaticString, _ parameters: [SQLValue]) throws(ProviderFault) -> Int
}

/// A value on its way into a statement.
enum SQLValue {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    static func optional(_ value: String?) -> SQLValue { value.map(Self.text) ?? .null }
    static func optional(_ value: [UInt8]?) -> SQLValue { value.map(Self.blob) ?? .null }
    static func time(_ value: Timestamp) -> SQLValue { .integer(value.milliseconds) }
    static func optional(_ value: Timestamp?) -> SQLValue { value.map(Self.time) ?? .null }
    static func bool(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }
    static func id<Tag>(_ value: OpaqueID<Tag>) -> SQLValue { .text(value.text) }
    static func optional<Tag>(_ value: OpaqueID<Tag>?) -> SQLValue { .optional(value?.text) }
}

/// One row of a result; columns count from 0, in the order of the statement.
///
/// Valid only while it is lent.
protocol SQLRow {
    func isNull(_ column: Int32) -> Bool
    /// 0 for NULL.
    func integer(_ column: Int32) -> Int64
    /// Empty for NULL.
    func text(_ column: Int32) -> String
    /// Empty for NULL.
    func blob(_ column: Int32) -> [UInt8]
}

extension SQLRow {
    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }
    func time(_ column: Int32) -> Timestamp { Timestamp(milliseconds: integer(column)) }
    func optionalTime(_ column: Int32) -> Timestamp? { isNull(column) ? nil : time(column) }
    func bool(_ column: Int32) -> Bool { integer(column) != 0 }
    func id<Tag>(_ column: Int32) -> OpaqueID<Tag> { OpaqueID(stored: text(column)) }
    func optionalID<Tag>(_ column: Int32) -> OpaqueID<Tag>? { isNull(column) ? nil : id(column) }

    /// A value that the database must hold in a form of ours; anything else means that the file is damaged.
    func decode<Value>(_ column: Int32, _ make: (String) -> Value?) throws(ProviderFault) -> Value {
        guard let value = make(text(column)) else {
            throw ProviderFault("read a stored value", code: Int(column), kind: .storage)
        }
        return value
    }
}

/// A transaction under way: what the ports of `GatehouseCore` are implemented on.
struct SQLTransaction {
    let connection: any SQLConnection

    func first<Value>(
        _ sql: StaticString,
        _ parameters: [SQLValue],
        _ read: (any SQLRow) throws(ProviderFault) -> Value
    ) throws(ProviderFault) -> Value? {
        try connection.query(sql, parameters, read).first
    }

    func exists(_ sql: StaticString, _ parameters: [SQLValue]) throws(ProviderFault) -> Bool {
        try !connection.query(sql, parameters) { _ in true }.isEmpty
    }

    /// - Returns: whether the statement changed exactly one row.
    func changesOne(_ sql: StaticString, _ parameters: [SQLValue]) throws(ProviderFault) -> Bool {
        try connection.execute(sql, parameters) == 1
    }
}
