extension JSONScanner {
    mutating func number() throws(WireFault) -> JSONMembers.Value {
        let start = offset
        _ = skips(UInt8(ascii: "-"))
        if next == UInt8(ascii: "0") { offset += 1 } else { try digits() }
        let integerEnd = offset
        if skips(UInt8(ascii: ".")) { try digits() }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            offset += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        guard offset == integerEnd else { return .other }
        return Int64(String(decoding: bytes[start..<offset], as: UTF8.self)).map(JSONMembers.Value.integer) ?? .other
    }

    private mutating func digits() throws(WireFault) {
        guard let first = next, isDigit(first) else { throw fault }
        while let byte = next, isDigit(byte) { offset += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
