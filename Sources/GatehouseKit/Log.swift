/// A value that may appear in a log line.
///
/// Types opt in one by one; `Secret`, tokens, credential bytes and `String` don't, so a leak is a compile error and not a
/// review finding.
public protocol Loggable {
    var logText: String { get }
}

extension CredentialKind: Loggable { public var logText: String { description } }
extension OpaqueID: Loggable { public var logText: String { text } }
extension Int: Loggable { public var logText: String { String(self) } }
extension Int64: Loggable { public var logText: String { String(self) } }
extension Bool: Loggable { public var logText: String { self ? "true" : "false" } }
extension ProblemCode: Loggable { public var logText: String { rawValue } }
extension Refusal.Reason: Loggable { public var logText: String { description } }
extension StaticString: Loggable { public var logText: String { description } }
extension ProviderFault: Loggable { public var logText: String { "\(operation): \(code)" } }

/// Writes one line per event: `level=notice event="sign-in refused" kind=password`.
///
/// The event is a literal, so each has one spelling to search for; what varies goes in the fields.
public struct Log: Sendable {
    public enum Level: String, Sendable { case debug, notice, error }

    private let write: @Sendable (String) -> Void

    public init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    public func callAsFunction(
        _ level: Level,
        _ event: StaticString,
        _ fields: KeyValuePairs<StaticString, any Loggable> = [:]
    ) {
        var line = "level=\(level.rawValue) event=\"\(event)\""
        for (name, value) in fields {
            line += " \(name)=\(Self.quoted(value.logText))"
        }
        write(line)
    }

    /// Quotes whatever isn't plainly one word, so that a value can't forge a field or a line.
    private static func quoted(_ text: String) -> String {
        let plain = text.utf8.allSatisfy {
            ($0 > 0x20 && $0 < 0x7F) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=")
        }
        return plain && !text.isEmpty
            ? text : "\"" + text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
    }
}
