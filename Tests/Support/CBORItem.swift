/// A CBOR item to be encoded as it stands: order, duplicates and bad encodings included.
public indirect enum CBORItem: Sendable {
    case int(Int)
    case bytes([UInt8])
    case text(String)
    case array([CBORItem])
    case map([(key: CBORItem, value: CBORItem)])
    case bool(Bool)
    case null
    /// Bytes put in as they are.
    case raw([UInt8])

    public var encoded: [UInt8] {
        switch self {
        case .int(let value):
            value >= 0 ? Self.head(0, UInt64(value)) : Self.head(1, UInt64(bitPattern: Int64(~value)))
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + text.utf8
        case .array(let items): Self.head(4, UInt64(items.count)) + items.flatMap(\.encoded)
        case .map(let entries):
            Self.head(5, UInt64(entries.count)) + entries.flatMap { $0.key.encoded + $0.value.encoded }
        case .bool(let flag): [flag ? 0xF5 : 0xF4]
        case .null: [0xF6]
        case .raw(let bytes): bytes
        }
    }

    /// The head of an item in its shortest form.
    public static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
        switch argument {
        case 0..<24: [major << 5 | UInt8(argument)]
        case ..<0x100: head(major, argument, bytes: 1)
        case ..<0x1_0000: head(major, argument, bytes: 2)
        case ..<0x1_0000_0000: head(major, argument, bytes: 4)
        default: head(major, argument, bytes: 8)
        }
    }

    /// The head of an item with its argument in 1, 2, 4 or 8 bytes, needed or not.
    public static func head(_ major: UInt8, _ argument: UInt64, bytes: Int) -> [UInt8] {
        let info: UInt8 = [1: 24, 2: 25, 4: 26][bytes] ?? 27
        let digits = (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: argument >> UInt64($0 * 8)) }
        return [major << 5 | info] + digits
    }
}

extension CBORItem {
    /// Replaces, adds or (with `nil`) removes an entry of a map; anything else is left alone.
    public mutating func set(_ key: CBORItem, to value: CBORItem?) {
        guard case .map(var entries) = self else { return }
        let place = entries.firstIndex { $0.key.encoded == key.encoded }
        switch (place, value) {
        case (let place?, let value?): entries[place].value = value
        case (let place?, nil): entries.remove(at: place)
        case (nil, let value?): entries.append((key, value))
        case (nil, nil): break
        }
        self = .map(entries)
    }

    /// The value under a key of a map.
    public subscript(key: CBORItem) -> CBORItem? {
        guard case .map(let entries) = self else { return nil }
        return entries.first { $0.key.encoded == key.encoded }?.value
    }
}
