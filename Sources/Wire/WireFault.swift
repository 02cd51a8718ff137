/// What was wrong with bytes from outside, and at which offset.
///
/// Offsets and lengths only: a fault never carries the bytes, so it is safe to log.
public struct WireFault: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        case truncated(needed: Int, available: Int)
        case trailingBytes(Int)
        case lengthOutOfRange(Int, allowed: ClosedRange<Int>)
        case reservedBitsSet(UInt8)
        /// A byte that this format doesn't allow here.
        case unexpectedByte(UInt8)
        case duplicateKey
        case tooDeep
        case notUTF8
        /// Well formed, but not in the one encoding that the format allows.
        case notCanonical
    }

    public let reason: Reason
    public let offset: Int

    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
