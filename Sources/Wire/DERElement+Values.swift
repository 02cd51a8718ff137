extension DERElement {
    /// The content, if it is that of an element of this kind.
    public func content(of tag: DERTag) throws(WireFault) -> [UInt8] {
        guard self.tag == tag else { throw WireFault(.notCanonical, at: 0) }
        return content
    }

    /// A BOOLEAN (X.690 §11.1).
    public func boolean() throws(WireFault) -> Bool {
        switch try content(of: .boolean) {
        case [0x00]: return false
        case [0xFF]: return true
        default: throw WireFault(.notCanonical, at: 0)
        }
    }

    /// An INTEGER from 0 up, big-endian without leading zeros; zero is one zero byte.
    public func unsignedInteger() throws(WireFault) -> [UInt8] {
        let digits = try content(of: .integer)
        guard let first = digits.first, first < 0x80 else { throw WireFault(.notCanonical, at: 0) }
        guard first == 0, digits.count > 1 else { return digits }
        // A zero stands only before a byte whose top bit would read as a sign.
        let rest = Array(digits.dropFirst())
        guard let next = rest.first, next >= 0x80 else { throw WireFault(.notCanonical, at: 0) }
        return rest
    }

    /// An INTEGER or ENUMERATED from 0 to 127; `nil` for any other number.
    public var smallNumber: Int? {
        guard tag == .integer || tag == .enumerated, content.count == 1, let byte = content.first, byte < 0x80 else {
            return nil
        }
        return Int(byte)
    }

    /// A BIT STRING of whole bytes.
    public func wholeBytes() throws(WireFault) -> [UInt8] {
        let content = try content(of: .bitString)
        guard content.first == 0 else { throw WireFault(.notCanonical, at: 0) }
        return Array(content.dropFirst())
    }
}
