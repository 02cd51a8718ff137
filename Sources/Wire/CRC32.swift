/// The checksum of ISO 3309, as gzip and PNG have it (RFC 1952 §8): it finds typing mistakes and keeps nobody out.
public enum CRC32 {
    /// The polynomial, its bits in reverse.
    private static let polynomial: UInt32 = 0xEDB8_8320

    public static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { rest, _ in rest >> 1 ^ (rest & 1 == 1 ? polynomial : 0) }
        }
    }
}
