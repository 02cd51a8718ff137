extension IPAddress: LosslessStringConvertible {
    /// The longest text form: six full groups and an embedded IPv4 address.
    private static let longestText = 45

    /// Reads the text forms of RFC 4291 §2.2 and dotted decimal with four octets.
    ///
    /// Strict where parsers differ, since that is how filters are passed: no zone, no port, no brackets, no white
    /// space, no octet with a leading zero (octal to some), no shorthand such as `127.1`.
    public init?(_ text: String) {
        self.init(utf8: Array(text.utf8.prefix(Self.longestText + 1)))
    }

    init?(utf8 text: [UInt8]) {
        guard text.count <= Self.longestText else { return nil }
        if text.contains(UInt8(ascii: ":")) {
            guard let groups = Self.ipv6Groups(text) else { return nil }
            self.init(groups: groups)
        } else {
            guard let bits = Self.ipv4Bits(text[...]) else { return nil }
            self.init(ipv4: bits)
        }
    }

    private static func ipv4Bits(_ text: ArraySlice<UInt8>) -> UInt32? {
        let octets = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard octets.count == 4 else { return nil }
        var bits: UInt32 = 0
        for octet in octets {
            guard let value = number(octet, radix: 10, digits: 3), value <= 255 else { return nil }
            guard octet.count == 1 || octet.first != UInt8(ascii: "0") else { return nil }
            bits = bits << 8 | UInt32(value)
        }
        return bits
    }

    private static func ipv6Groups(_ text: [UInt8]) -> [UInt16]? {
        var pieces = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)[...]
        guard pieces.count >= 3 else { return nil }
        // A colon at either end is only right as half of a "::", which then leaves two empty pieces.
        if pieces.first?.isEmpty == true {
            pieces.removeFirst()
            guard pieces.first?.isEmpty == true else { return nil }
        }
        if pieces.last?.isEmpty == true, pieces.count > 1 {
            pieces.removeLast()
            guard pieces.last?.isEmpty == true else { return nil }
        }
        return expanded(pieces)
    }

    /// Writes out the zeros that one empty piece stands for.
    private static func expanded(_ pieces: ArraySlice<ArraySlice<UInt8>>) -> [UInt16]? {
        var before: [UInt16] = []
        var after: [UInt16]?
        for (position, piece) in zip(pieces.indices, pieces) {
            if piece.isEmpty {
                guard after == nil else { return nil }
                after = []
            } else {
                guard let groups = groups(in: piece, isLast: position == pieces.endIndex - 1) else { return nil }
                if after == nil { before += groups } else { after? += groups }
            }
        }
        guard let after else { return before.count == 8 ? before : nil }
        let missing = 8 - before.count - after.count
        guard missing >= 1 else { return nil }
        return before + Array(repeating: 0, count: missing) + after
    }

    /// One group, or two for an IPv4 address at the end.
    private static func groups(in piece: ArraySlice<UInt8>, isLast: Bool) -> [UInt16]? {
        if isLast, piece.contains(UInt8(ascii: ".")) {
            return ipv4Bits(piece).map { [UInt16($0 >> 16), UInt16($0 & 0xFFFF)] }
        }
        return number(piece, radix: 16, digits: 4).map { [UInt16($0)] }
    }

    /// A number of one to `digits` digits, so at most 65,535.
    private static func number(_ text: ArraySlice<UInt8>, radix: Int, digits: Int) -> Int? {
        guard 1...digits ~= text.count else { return nil }
        var value = 0
        for byte in text {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix else { return nil }
            value = value * radix + digit
        }
        return value
    }

    /// Dotted decimal for IPv4, the form of RFC 5952 §4 for IPv6.
    public var description: String {
        if let ipv4 {
            return [24, 16, 8, 0].map { String(ipv4 >> UInt32($0) & 0xFF) }.joined(separator: ".")
        }
        let groups = groups
        guard let run = Self.longestZeroRun(groups) else { return Self.hexadecimal(groups[...]) }
        return Self.hexadecimal(groups.prefix(run.lowerBound)) + "::"
            + Self.hexadecimal(groups.dropFirst(run.upperBound))
    }

    private static func hexadecimal(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// The first of the longest runs of zeros; a single zero is never shortened (§4.2.2).
    private static func longestZeroRun(_ groups: [UInt16]) -> Range<Int>? {
        var longest = 0..<0
        var current = 0..<0
        for (index, group) in groups.enumerated() {
            current = group == 0 ? (current.isEmpty ? index : current.lowerBound)..<(index + 1) : 0..<0
            if current.count > longest.count { longest = current }
        }
        return longest.count >= 2 ? longest : nil
    }
}
