/// One decoded CBOR data item (RFC 8949) of the kinds that WebAuthn and COSE use.
public enum CBORValue: Hashable, Sendable {
    case unsigned(UInt64)
    /// The integer `-1 - n` of the argument `n`, which reaches further down than `Int64` does.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map(CBORMap)
    case bool(Bool)
    case null
    case undefined
    /// The bits of a half, single or double precision number, as they came.
    case float(width: Int, bits: UInt64)
}

extension CBORValue {
    /// A key or value that is a small integer, such as the labels of COSE.
    public init(_ integer: Int) {
        self = integer >= 0 ? .unsigned(UInt64(integer)) : .negative(UInt64(bitPattern: Int64(~integer)))
    }

    /// The integer, where this is one that fits; a float of the same value is none.
    public var integer: Int? {
        switch self {
        case .unsigned(let value): Int(exactly: value)
        case .negative(let argument): Int(exactly: argument).map { ~$0 }
        default: nil
        }
    }

    public var byteString: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }

    public var string: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    public var map: CBORMap? {
        guard case .map(let map) = self else { return nil }
        return map
    }
}

/// The entries of a CBOR map in their order, each key once.
///
/// Keys are integers, byte strings or texts. A list and not a dictionary, as the maps that matter have five entries.
public struct CBORMap: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public let key: CBORValue
        public let value: CBORValue
    }

    public let entries: [Entry]

    /// - Returns: `nil` if a key occurs twice.
    init?(_ entries: [Entry]) {
        guard Self.keysDiffer(entries) else { return nil }
        self.entries = entries
    }

    public subscript(key: CBORValue) -> CBORValue? {
        entries.first { $0.key == key }?.value
    }

    public subscript(label: Int) -> CBORValue? { self[CBORValue(label)] }
    public subscript(name: String) -> CBORValue? { self[.text(name)] }

    /// Compares each with each where that is faster, and hashes where an attacker could make it slow.
    private static func keysDiffer(_ entries: [Entry]) -> Bool {
        if entries.count > 16 { return Set(entries.map(\.key)).count == entries.count }
        return entries.indices.allSatisfy { index in
            !entries[..<index].contains { $0.key == entries[index].key }
        }
    }
}
