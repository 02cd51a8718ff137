/// Steps through JSON text byte by byte.
struct JSONScanner {
    /// How many arrays and objects may contain each other in a value that is skipped.
    private static let maximumDepth = 64

    var reader: ByteReader

    init(_ bytes: Span<UInt8>) { reader = ByteReader(bytes) }

    /// Reads an object.
    mutating func members(_ bytes: Span<UInt8>) throws(WireFault) -> [JSONMembers.Member] {
        var members: [JSONMembers.Member] = []
        try expect("{", bytes)
        if accept("}", bytes) { return members }
        repeat {
            let start = reader.offset
            guard members.count < JSONMembers.maximumCount else {
                throw WireFault(.lengthOutOfRange(members.count + 1, allowed: 0...JSONMembers.maximumCount), at: start)
            }
            let name = try key(bytes)
            guard !members.contains(where: { $0.name == name }) else { throw WireFault(.duplicateKey, at: start) }
            members.append(JSONMembers.Member(name: name, value: try value(bytes)))
        } while accept(",", bytes)
        try expect("}", bytes)
        return members
    }

    /// Throws unless only white space is left.
    mutating func finish(_ bytes: Span<UInt8>) throws(WireFault) {
        skipSpace(bytes)
        try reader.finish()
    }

    private mutating func value(_ bytes: Span<UInt8>) throws(WireFault) -> JSONMembers.Value {
        skipSpace(bytes)
        switch peek(bytes) {
        case UInt8(ascii: "\""): return .string(try string(bytes))
        case UInt8(ascii: "t"): return try literal("true", is: .bool(true), bytes)
        case UInt8(ascii: "f"): return try literal("false", is: .bool(false), bytes)
        case UInt8(ascii: "n"): return try literal("null", is: .null, bytes)
        default:
            try skipNested(bytes)
            return .other
        }
    }
}

// MARK: - Values that are skipped

extension JSONScanner {
    /// Steps over a number, an array or an object, with a list of what is open in place of recursion.
    private mutating func skipNested(_ bytes: Span<UInt8>) throws(WireFault) {
        var open: [UInt8] = []
        repeat {
            let entered = try enter(&open, bytes)
            if entered { continue }
            try leave(&open, bytes)
        } while !open.isEmpty
    }

    /// Reads the start of a value.
    ///
    /// - Returns: Whether a container with contents was opened, so that another value follows.
    private mutating func enter(_ open: inout [UInt8], _ bytes: Span<UInt8>) throws(WireFault) -> Bool {
        skipSpace(bytes)
        switch peek(bytes) {
        case UInt8(ascii: "["): return try enter("[", until: "]", &open, bytes)
        case UInt8(ascii: "{"): return try enter("{", until: "}", &open, bytes)
        case UInt8(ascii: "\""): _ = try string(bytes)
        case UInt8(ascii: "t"): _ = try literal("true", is: .null, bytes)
        case UInt8(ascii: "f"): _ = try literal("false", is: .null, bytes)
        case UInt8(ascii: "n"): _ = try literal("null", is: .null, bytes)
        default: try skipNumber(bytes)
        }
        return false
    }

    private mutating func enter(
        _ start: Unicode.Scalar,
        until end: Unicode.Scalar,
        _ open: inout [UInt8],
        _ bytes: Span<UInt8>
    ) throws(WireFault) -> Bool {
        guard open.count < Self.maximumDepth else { throw WireFault(.tooDeep, at: reader.offset) }
        try expect(start, bytes)
        if accept(end, bytes) { return false }
        open.append(UInt8(ascii: end))
        if end == "}" { _ = try key(bytes) }
        return true
    }

    /// After a value: closes what ends here, and steps over the comma before the next value.
    private mutating func leave(_ open: inout [UInt8], _ bytes: Span<UInt8>) throws(WireFault) {
        while let end = open.last {
            if accept(",", bytes) {
                if end == UInt8(ascii: "}") { _ = try key(bytes) }
                return
            }
            try expect(Unicode.Scalar(end), bytes)
            open.removeLast()
        }
    }

    private mutating func skipNumber(_ bytes: Span<UInt8>) throws(WireFault) {
        _ = acceptHere("-", bytes)
        if !acceptHere("0", bytes) { try skipDigits(bytes) }
        if acceptHere(".", bytes) { try skipDigits(bytes) }
        guard acceptHere("e", bytes) || acceptHere("E", bytes) else { return }
        if !acceptHere("+", bytes) { _ = acceptHere("-", bytes) }
        try skipDigits(bytes)
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>) throws(WireFault) {
        let start = reader.offset
        while let digit = peek(bytes), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) {
            _ = try reader.readUInt8(bytes)
        }
        guard reader.offset > start else { throw unexpected(bytes) }
    }
}

// MARK: - Single bytes

extension JSONScanner {
    /// The next byte, or `nil` at the end.
    func peek(_ bytes: Span<UInt8>) -> UInt8? {
        var ahead = reader
        return try? ahead.readUInt8(bytes)
    }

    mutating func skipSpace(_ bytes: Span<UInt8>) {
        while let byte = peek(bytes), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            _ = try? reader.readUInt8(bytes)
        }
    }

    /// Takes the byte if it comes next.
    mutating func acceptHere(_ wanted: Unicode.Scalar, _ bytes: Span<UInt8>) -> Bool {
        guard let byte = peek(bytes), byte == UInt8(ascii: wanted) else { return false }
        return (try? reader.readUInt8(bytes)) != nil
    }

    private mutating func accept(_ wanted: Unicode.Scalar, _ bytes: Span<UInt8>) -> Bool {
        skipSpace(bytes)
        return acceptHere(wanted, bytes)
    }

    mutating func expect(_ wanted: Unicode.Scalar, _ bytes: Span<UInt8>) throws(WireFault) {
        guard accept(wanted, bytes) else { throw unexpected(bytes) }
    }

    private mutating func literal(
        _ text: StaticString,
        is value: JSONMembers.Value,
        _ bytes: Span<UInt8>
    ) throws(WireFault) -> JSONMembers.Value {
        for scalar in text.description.unicodeScalars {
            guard acceptHere(scalar, bytes) else { throw unexpected(bytes) }
        }
        return value
    }

    private func unexpected(_ bytes: Span<UInt8>) -> WireFault {
        guard let byte = peek(bytes) else {
            return WireFault(.truncated(needed: 1, available: 0), at: reader.offset)
        }
        return WireFault(.unexpectedByte(byte), at: reader.offset)
    }
}
