/// Walks over JSON text (RFC 8259) and keeps nothing but the keys of the objects it is in.
struct JSONScanner {
    let bytes: [UInt8]
    private let unpairedSurrogates: UnpairedSurrogates
    private var depth: Int
    var offset = 0

    /// What becomes of an escaped half of a surrogate pair.
    enum UnpairedSurrogates {
        case refused
        /// U+FFFD stands in its place, as in ECMAScript's well-formed strings.
        case replaced
    }

    /// - Throws: unless the bytes are UTF-8.
    init(_ bytes: [UInt8], depth: Int, unpairedSurrogates: UnpairedSurrogates) throws(WireFault) {
        guard (try? UTF8Span(validating: bytes.span)) != nil else { throw WireFault(.notUTF8, at: 0) }
        self.bytes = bytes
        self.depth = depth
        self.unpairedSurrogates = unpairedSurrogates
    }

    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    var fault: WireFault {
        next.map { WireFault(.unexpectedByte($0), at: offset) }
            ?? WireFault(.truncated(needed: 1, available: 0), at: offset)
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
    }

    /// Throws unless only white space is left.
    mutating func finish() throws(WireFault) {
        skipSpace()
        guard offset == bytes.count else { throw WireFault(.trailingBytes(bytes.count - offset), at: offset) }
    }

    mutating func value() throws(WireFault) -> JSONMembers.Value {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): try object { _, _ in }
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", is: .bool(true))
        case UInt8(ascii: "f"): return try literal("false", is: .bool(false))
        case UInt8(ascii: "n"): return try literal("null", is: .null)
        default: return try number()
        }
        return .other
    }

    /// Reads an object whose keys are unique.
    mutating func object(_ visit: (String, JSONMembers.Value) throws(WireFault) -> Void) throws(WireFault) {
        try members { (key, scanner) throws(WireFault) in try visit(key, try scanner.value()) }
    }

    /// Reads an object whose keys are unique, and leaves each value to the visitor.
    mutating func members(_ visit: (String, inout Self) throws(WireFault) -> Void) throws(WireFault) {
        var keys = DistinctKeys()
        skipSpace()
        try list(from: UInt8(ascii: "{"), to: UInt8(ascii: "}")) { (scanner) throws(WireFault) in
            let at = scanner.offset
            let key = try scanner.string()
            guard keys.insert(key) else { throw WireFault(.duplicateKey, at: at) }
            scanner.skipSpace()
            try scanner.expect(UInt8(ascii: ":"))
            try visit(key, &scanner)
        }
    }

    private mutating func array() throws(WireFault) -> JSONMembers.Value {
        var strings: [String]? = []
        try elements { (scanner) throws(WireFault) in
            if case .string(let text) = try scanner.value() { strings?.append(text) } else { strings = nil }
        }
        return strings.map(JSONMembers.Value.strings) ?? .other
    }

    /// Reads an array, and leaves each element to the visitor.
    mutating func elements(_ visit: (inout Self) throws(WireFault) -> Void) throws(WireFault) {
        skipSpace()
        try list(from: UInt8(ascii: "["), to: UInt8(ascii: "]"), visit)
    }

    /// Reads a value, and says where it stands.
    mutating func range() throws(WireFault) -> Range<Int> {
        skipSpace()
        let start = offset
        _ = try value()
        return start..<offset
    }

    private mutating func list(
        from start: UInt8,
        to end: UInt8,
        _ element: (inout Self) throws(WireFault) -> Void
    ) throws(WireFault) {
        guard depth > 0 else { throw WireFault(.tooDeep, at: offset) }
        depth -= 1
        defer { depth += 1 }
        try expect(start)
        skipSpace()
        if skips(end) { return }
        while true {
            try element(&self)
            skipSpace()
            if skips(end) { return }
            try expect(UInt8(ascii: ","))
            skipSpace()
        }
    }

    mutating func skips(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        offset += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(WireFault) {
        guard next == byte else { throw fault }
        offset += 1
    }

    private mutating func literal(
        _ word: StaticString,
        is value: JSONMembers.Value
    ) throws(WireFault) -> JSONMembers.Value {
        for byte in word.description.utf8 { try expect(byte) }
        return value
    }

    private mutating func string() throws(WireFault) -> String {
        try expect(UInt8(ascii: "\""))
        var text = try plainRun()
        while !skips(UInt8(ascii: "\"")) {
            try expect(UInt8(ascii: "\\"))
            text.append(try escape())
            text += try plainRun()
        }
        return text
    }

    /// What stands before the next quotation mark or escape, in one piece: most strings are nothing else.
    private mutating func plainRun() throws(WireFault) -> String {
        let start = offset
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            guard byte >= 0x20 else { throw fault }
            offset += 1
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func escape() throws(WireFault) -> Character {
        guard let byte = next else { throw fault }
        switch byte {
        case UInt8(ascii: "u"): return try unicodeEscape()
        case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"),
            UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            offset += 1
            return Character(Unicode.Scalar(Self.escapes[byte] ?? byte))
        default: throw fault
        }
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D,
        UInt8(ascii: "t"): 0x09,
    ]

    private mutating func unicodeEscape() throws(WireFault) -> Character {
        let at = offset
        let unit = try hexUnit()
        if let scalar = Unicode.Scalar(unit) { return Character(scalar) }
        if let scalar = try lowHalf(after: unit) { return Character(scalar) }
        guard unpairedSurrogates == .replaced else { throw WireFault(.notUTF8, at: at) }
        return "\u{FFFD}"
    }

    /// The other half of a pair, which must follow at once (RFC 8259 §7); anything else is left where it is.
    private mutating func lowHalf(after high: UInt32) throws(WireFault) -> Unicode.Scalar? {
        let start = offset
        guard (0xD800..<0xDC00).contains(high), skips(UInt8(ascii: "\\")), next == UInt8(ascii: "u") else {
            offset = start
            return nil
        }
        let low = try hexUnit()
        guard (0xDC00..<0xE000).contains(low) else {
            offset = start
            return nil
        }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func hexUnit() throws(WireFault) -> UInt32 {
        try expect(UInt8(ascii: "u"))
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw fault }
            unit = unit << 4 | UInt32(digit)
            offset += 1
        }
        return unit
    }
}
