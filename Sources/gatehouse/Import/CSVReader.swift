import GatehouseCore
import GatehouseKit

/// Comma-separated values (RFC 4180), with LF or CRLF at the end of a record.
struct CSVReader {
    private let file: InputFile

    /// In bytes, and in fields.
    private static let maximumRecordLength = 1 << 16
    private static let maximumFieldCount = 256

    init(_ file: InputFile) { self.file = file }

    struct Record {
        /// Where it begins, counted from 1.
        let line: Int
        let fields: Result<[String], Refusal>
    }

    /// The next record; `nil` at the end.
    ///
    /// - Throws: if a quoted field isn't closed: everything behind it would be read wrongly.
    func next() throws(SourceFault) -> Record? {
        guard let first = try file.line() else { return nil }
        let begun = file.lineNumber
        var parser = CSVRecordParser()
        var length = 0
        var line: [UInt8]? = first
        while let content = line {
            length += content.count
            do throws(Refusal) {
                if try parser.take(line: content) {
                    return Record(line: begun, fields: parser.texts(Self.maximumFieldCount))
                }
            } catch { return Record(line: begun, fields: .failure(error)) }
            line = length <= Self.maximumRecordLength ? try file.line() : nil
        }
        throw SourceFault("line \(begun): a quoted field is not closed; nothing from there on was read")
    }
}

/// One record while its lines come in.
struct CSVRecordParser {
    private enum State { case fieldStart, plain, quoted, quoteInQuoted }

    private var state = State.fieldStart
    private var fields: [[UInt8]] = []
    private var field: [UInt8] = []

    /// - Parameter line: Without its LF.
    /// - Returns: whether the record ends with it.
    mutating func take(line: [UInt8]) throws(Refusal) -> Bool {
        let endsInReturn = line.last == UInt8(ascii: "\r")
        for byte in endsInReturn ? line.dropLast() : line[...] { try take(byte) }
        guard state == .quoted else {
            endField()
            return true
        }
        field += endsInReturn ? [UInt8(ascii: "\r"), UInt8(ascii: "\n")] : [UInt8(ascii: "\n")]
        return false
    }

    private mutating func take(_ byte: UInt8) throws(Refusal) {
        switch (state, byte) {
        case (.fieldStart, UInt8(ascii: "\"")): state = .quoted
        case (.quoted, UInt8(ascii: "\"")): state = .quoteInQuoted
        case (.quoteInQuoted, UInt8(ascii: "\"")):
            field.append(byte)
            state = .quoted
        case (.quoted, _): field.append(byte)
        case (_, UInt8(ascii: ",")): endField()
        case (.quoteInQuoted, _), (_, UInt8(ascii: "\"")):
            throw Refusal(.invalidValue, "a quote stands in the middle of a field")
        default:
            field.append(byte)
            state = .plain
        }
    }

    private mutating func endField() {
        fields.append(field)
        field = []
        state = .fieldStart
    }

    /// The fields of a record that has ended.
    func texts(_ limit: Int) -> Result<[String], Refusal> {
        let texts = fields.prefix(limit).compactMap { String(validating: $0, as: UTF8.self) }
        guard texts.count == fields.count else {
            return .failure(Refusal(.invalidValue, "the record is not UTF-8, or has too many fields"))
        }
        return .success(texts)
    }
}
