extension JSONScanner {
    mutating func key(_ bytes: Span<UInt8>) throws(WireFault) -> String {
        skipSpace(bytes)
        let name = try string(bytes)
        try expect(":", bytes)
        return name
    }

    /// Reads a string; a lone surrogate escape becomes U+FFFD, as no well-formed text can hold it.
    mutating func string(_ bytes: Span<UInt8>) throws(WireFault) -> String {
        try expect("\"", bytes)
        var text = ""
        while true {
            text += try plainText(bytes)
            let start = reader.offset
            switch try reader.readUInt8(bytes) {
            case UInt8(ascii: "\""): return text
            case UInt8(ascii: "\\"): text.unicodeScalars.append(try escape(bytes))
            case let control: throw WireFault(.unexpectedByte(control), at: start)
            }
        }
    }

    /// Reads up to the next quote, backslash or control character.
    private mutating func plainText(_ bytes: Span<UInt8>) throws(WireFault) -> String {
        let start = reader.offset
        while let byte = peek(bytes), byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            _ = try reader.readUInt8(bytes)
        }
        guard let text = try? UTF8Span(validating: bytes.extracting(start..<reader.offset)) else {
            throw WireFault(.notUTF8, at: start)
        }
        return String(copying: text)
    }

    private mutating func escape(_ bytes: Span<UInt8>) throws(WireFault) -> Unicode.Scalar {
        let start = reader.offset
        switch try reader.readUInt8(bytes) {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try escapedScalar(bytes)
        case let byte: throw WireFault(.unexpectedByte(byte), at: start)
        }
    }

    /// Reads the digits after `\u`, and the second half of a surrogate pair where there is one.
    private mutating func escapedScalar(_ bytes: Span<UInt8>) throws(WireFault) -> Unicode.Scalar {
        let first = try hexQuad(bytes)
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        let afterFirst = reader
        if acceptHere("\\", bytes), acceptHere("u", bytes) {
            let second = try hexQuad(bytes)
            if UTF16.isTrailSurrogate(second) {
                return UTF16.decode(UTF16.EncodedScalar([first, second]))
            }
        }
        reader = afterFirst
        return "\u{FFFD}"
    }

    private mutating func hexQuad(_ bytes: Span<UInt8>) throws(WireFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let start = reader.offset
            let byte = try reader.readUInt8(bytes)
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw WireFault(.unexpectedByte(byte), at: start)
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
