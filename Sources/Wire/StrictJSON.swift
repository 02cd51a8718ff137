/// A check that bytes are exactly one JSON value (RFC 8259), before any decoder sees them.
///
/// Decoders are lenient where it matters: they take the first or the last of two equal keys, and some stop at the end of
/// the first value. This refuses duplicate keys, trailing bytes, unpaired surrogates, text that isn't UTF-8 and deep
/// nesting.
public enum StrictJSON {
    /// - Parameter depth: How many arrays and objects may stand in each other.
    public static func check(_ bytes: [UInt8], depth: Int = 16) throws(WireFault) {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw WireFault(.notUTF8, at: 0) }
        var scanner = JSONScanner(bytes: bytes, depth: depth)
        scanner.skipSpace()
        try scanner.value()
        scanner.skipSpace()
        guard scanner.offset == bytes.count else {
            throw WireFault(.trailingBytes(bytes.count - scanner.offset), at: scanner.offset)
        }
    }
}

/// Walks over valid UTF-8 and keeps nothing but the keys of the objects it is in.
private struct JSONScanner {
    let bytes: [UInt8]
    var depth: Int
    var offset = 0

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private var fault: WireFault {
        next.map { WireFault(.unexpectedByte($0), at: offset) }
            ?? WireFault(.truncated(needed: 1, available: 0), at: offset)
    }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
    }

    mutating func value() throws(WireFault) {
        switch next {
        case UInt8(ascii: "{"): try nested { (scanner) throws(WireFault) in try scanner.object() }
        case UInt8(ascii: "["): try nested { (scanner) throws(WireFault) in try scanner.array() }
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): try literal("null")
        default: try number()
        }
    }

    private mutating func nested(_ body: (inout Self) throws(WireFault) -> Void) throws(WireFault) {
        guard depth > 0 else { throw WireFault(.tooDeep, at: offset) }
        depth -= 1
        try body(&self)
        depth += 1
    }

    private mutating func object() throws(WireFault) {
        var keys: Set<String> = []
        try list(closedBy: UInt8(ascii: "}")) { (scanner) throws(WireFault) in
            let at = scanner.offset
            guard keys.insert(try scanner.string()).inserted else { throw WireFault(.duplicateKey, at: at) }
            scanner.skipSpace()
            try scanner.expect(UInt8(ascii: ":"))
            scanner.skipSpace()
            try scanner.value()
        }
    }

    private mutating func array() throws(WireFault) {
        try list(closedBy: UInt8(ascii: "]")) { (scanner) throws(WireFault) in try scanner.value() }
    }

    private mutating func list(
        closedBy end: UInt8,
        _ element: (inout Self) throws(WireFault) -> Void
    ) throws(WireFault) {
        offset += 1
        skipSpace()
        if next == end {
            offset += 1
            return
        }
        while true {
            try element(&self)
            skipSpace()
            if next == end {
                offset += 1
                return
            }
            try expect(UInt8(ascii: ","))
            skipSpace()
        }
    }

    private mutating func skips(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        offset += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(WireFault) {
        guard next == byte else { throw fault }
        offset += 1
    }

    private mutating func literal(_ word: StaticString) throws(WireFault) {
        for byte in word.description.utf8 { try expect(byte) }
    }

    private mutating func string() throws(WireFault) -> String {
        try expect(UInt8(ascii: "\""))
        var text: [UInt8] = []
        while true {
            guard let byte = next, byte >= 0x20 else { throw fault }
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += Array(String(try escape()).utf8)
            default: text.append(byte)
            }
        }
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
        let high = try hexUnit()
        if let scalar = Unicode.Scalar(high) { return Character(scalar) }
        // Half of a pair: the other half must follow, in this order (RFC 8259 §7).
        guard (0xD800..<0xDC00).contains(high) else { throw WireFault(.notUTF8, at: at) }
        try expect(UInt8(ascii: "\\"))
        let low = try hexUnit()
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { throw WireFault(.notUTF8, at: at) }
        return Character(scalar)
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

    private mutating func number() throws(WireFault) {
        if next == UInt8(ascii: "-") { offset += 1 }
        if next == UInt8(ascii: "0") { offset += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            offset += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            offset += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
    }

    private mutating func digits() throws(WireFault) {
        guard let first = next, isDigit(first) else { throw fault }
        while let byte = next, isDigit(byte) { offset += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
