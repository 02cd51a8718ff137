/// A cursor over bytes that someone else wrote.
///
/// Every read checks the bytes that remain and throws ``WireFault`` when they don't suffice, so a parser
/// built on it can't trap whatever it is fed. It is two integers: each read takes the span it reads from, which must be
/// the one it was made for.
public struct ByteReader: Sendable {
    private let count: Int

    /// How many bytes have been consumed; where a fault is reported.
    public private(set) var offset = 0

    public init(_ bytes: Span<UInt8>) {
        count = bytes.count
    }

    public var remaining: Int { count - offset }

    public mutating func readUInt8(_ bytes: Span<UInt8>) throws(WireFault) -> UInt8 {
        try require(1)
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Reads a big-endian integer, the byte order of WebAuthn, COSE and TPM structures.
    @specialized(where T == UInt16)
    @specialized(where T == UInt32)
    public mutating func readInteger<T: FixedWidthInteger & UnsignedInteger>(
        _: T.Type,
        _ bytes: Span<UInt8>
    ) throws(WireFault) -> T {
        let width = T.bitWidth / 8
        try require(width)
        var value: T = 0
        for index in offset..<(offset + width) {
            value = value << 8 | T(bytes[index])
        }
        offset += width
        return value
    }

    /// Steps over the next `count` bytes and says where they are.
    public mutating func skip(_ count: Int) throws(WireFault) -> Range<Int> {
        try require(count)
        defer { offset += count }
        return offset..<(offset + count)
    }

    /// Copies the next `count` bytes.
    public mutating func take(_ count: Int, _ bytes: Span<UInt8>) throws(WireFault) -> [UInt8] {
        [UInt8](copying: bytes.extracting(try skip(count)))
    }

    /// Throws unless every byte was consumed: trailing bytes are a fault, never ignored.
    public func finish() throws(WireFault) {
        guard remaining == 0 else { throw WireFault(.trailingBytes(remaining), at: offset) }
    }

    private func require(_ needed: Int) throws(WireFault) {
        // Compared with what remains: `offset + needed` could overflow.
        guard needed >= 0, needed <= remaining else {
            throw WireFault(.truncated(needed: needed, available: remaining), at: offset)
        }
    }
}
