/// A reader of CBOR in the CTAP2 canonical form, for bytes that someone else wrote.
///
/// FIDO CTAP 2.2 §8 "Message Encoding": definite lengths, the shortest form of every integer and length, no tags, each
/// map key once, few levels of nesting. All of that is enforced, since it leaves one reading of any input. The one rule
/// not enforced is the *order* of map keys: it admits no second reading, and certified authenticators break it.
///
/// Lengths are compared with the bytes at hand before anything is allocated, so memory follows the size of the input and
/// not what the input claims. Calls nest as deep as `maximumDepth` and no deeper.
public struct CBORReader {
    /// The nesting that CTAP2 allows in a message.
    public static let canonicalDepth = 4

    private var reader: ByteReader
    private let maximumDepth: Int

    /// - Parameter maximumDepth: How many arrays and maps may contain each other.
    public init(_ bytes: Span<UInt8>, maximumDepth: Int = canonicalDepth) {
        reader = ByteReader(bytes)
        self.maximumDepth = maximumDepth
    }

    /// How many bytes have been taken.
    public var offset: Int { reader.offset }

    /// Decodes one item from where the reader stands; bytes after it are left alone.
    ///
    /// - Throws: ``WireFault`` for anything but one item of the canonical form.
    public mutating func readItem(_ bytes: Span<UInt8>) throws(WireFault) -> CBORValue {
        try readItem(bytes, levelsLeft: maximumDepth)
    }

    /// Throws unless every byte was taken.
    public func finish() throws(WireFault) { try reader.finish() }

    private mutating func readItem(_ bytes: Span<UInt8>, levelsLeft: Int) throws(WireFault) -> CBORValue {
        let start = offset
        let head = try readHead(bytes)
        switch head.major {
        case 0: return .unsigned(head.argument)
        case 1: return .negative(head.argument)
        case 2: return .bytes(try reader.take(try length(head, at: start), bytes))
        case 3: return .text(try readText(head, at: start, bytes))
        case 4: return .array(try readArray(head, at: start, bytes, levelsLeft: levelsLeft))
        case 5: return .map(try readMap(head, at: start, bytes, levelsLeft: levelsLeft))
        case 7: return try simpleValue(head, at: start)
        default: throw WireFault(.unexpectedByte(head.initialByte), at: start)
        }
    }
}

extension CBORReader {
    /// The first byte of an item, and the number that it or the bytes after it hold.
    private struct Head {
        let initialByte: UInt8
        let argument: UInt64
        var major: UInt8 { initialByte >> 5 }
        var info: UInt8 { initialByte & 0x1F }
    }

    private mutating func readHead(_ bytes: Span<UInt8>) throws(WireFault) -> Head {
        let start = offset
        let initial = try reader.readUInt8(bytes)
        let (argument, least) = try readArgument(initial, at: start, bytes)
        // Floats (major type 7) carry bits and not a number that could be shorter.
        if initial >> 5 != 7, argument < least { throw WireFault(.notCanonical, at: start) }
        return Head(initialByte: initial, argument: argument)
    }

    /// The argument, and the least number that needs as many bytes.
    private mutating func readArgument(
        _ initial: UInt8,
        at start: Int,
        _ bytes: Span<UInt8>
    ) throws(WireFault) -> (UInt64, least: UInt64) {
        switch initial & 0x1F {
        case let info where info < 24: (UInt64(info), 0)
        case 24: (UInt64(try reader.readUInt8(bytes)), 24)
        case 25: (UInt64(try reader.readInteger(UInt16.self, bytes)), 1 << 8)
        case 26: (UInt64(try reader.readInteger(UInt32.self, bytes)), 1 << 16)
        case 27: (try reader.readInteger(UInt64.self, bytes), 1 << 32)
        // 28 to 30 are reserved, 31 is an indefinite length or a break.
        default: throw WireFault(.unexpectedByte(initial), at: start)
        }
    }

    /// The declared length, if as many units of `unit` bytes can still follow.
    private func length(_ head: Head, at start: Int, unit: Int = 1) throws(WireFault) -> Int {
        let most = reader.remaining / unit
        guard let length = Int(exactly: head.argument), length <= most else {
            throw WireFault(.lengthOutOfRange(Int(clamping: head.argument), allowed: 0...most), at: start)
        }
        return length
    }

    private mutating func readText(_ head: Head, at start: Int, _ bytes: Span<UInt8>) throws(WireFault) -> String {
        let raw = try reader.take(try length(head, at: start), bytes)
        guard let text = String(validating: raw, as: UTF8.self) else { throw WireFault(.notUTF8, at: start) }
        return text
    }

    private mutating func readArray(
        _ head: Head,
        at start: Int,
        _ bytes: Span<UInt8>,
        levelsLeft: Int
    ) throws(WireFault) -> [CBORValue] {
        guard levelsLeft > 0 else { throw WireFault(.tooDeep, at: start) }
        var items: [CBORValue] = []
        for _ in 0..<(try length(head, at: start)) {
            items.append(try readItem(bytes, levelsLeft: levelsLeft - 1))
        }
        return items
    }

    private mutating func readMap(
        _ head: Head,
        at start: Int,
        _ bytes: Span<UInt8>,
        levelsLeft: Int
    ) throws(WireFault) -> CBORMap {
        guard levelsLeft > 0 else { throw WireFault(.tooDeep, at: start) }
        var entries: [CBORMap.Entry] = []
        for _ in 0..<(try length(head, at: start, unit: 2)) {
            let key = try readKey(bytes)
            entries.append(CBORMap.Entry(key: key, value: try readItem(bytes, levelsLeft: levelsLeft - 1)))
        }
        guard let map = CBORMap(entries) else { throw WireFault(.duplicateKey, at: start) }
        return map
    }

    private mutating func readKey(_ bytes: Span<UInt8>) throws(WireFault) -> CBORValue {
        let start = offset
        let key = try readItem(bytes, levelsLeft: 0)
        switch key {
        case .unsigned, .negative, .bytes, .text: return key
        default: throw WireFault(.notCanonical, at: start)
        }
    }

    private func simpleValue(_ head: Head, at start: Int) throws(WireFault) -> CBORValue {
        switch head.info {
        case 20: .bool(false)
        case 21: .bool(true)
        case 22: .null
        case 23: .undefined
        case 25, 26, 27: .float(width: 2 << Int(head.info - 25), bits: head.argument)
        default: throw WireFault(.unexpectedByte(head.initialByte), at: start)
        }
    }
}

extension CBORValue {
    /// Decodes exactly one item: bytes after it are a fault.
    public init(decoding bytes: Span<UInt8>, maximumDepth: Int = CBORReader.canonicalDepth) throws(WireFault) {
        var reader = CBORReader(bytes, maximumDepth: maximumDepth)
        self = try reader.readItem(bytes)
        try reader.finish()
    }
}
