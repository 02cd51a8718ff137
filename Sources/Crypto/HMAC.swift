import COpenSSL

/// HMAC-SHA-256 (RFC 2104), built on the fetched digest: OpenSSL's one-shot `HMAC()` spends 1.5 µs looking it up.
public struct HMAC256: Sendable {
    private let inner: [UInt8]
    private let outer: [UInt8]

    /// - Parameter key: Any length; 32 random bytes for a key of ours.
    public init(key: [UInt8]) {
        let blockSize = 64
        var block = key.count > blockSize ? SHA256.hash(key) : key
        block.append(contentsOf: repeatElement(0, count: blockSize - block.count))
        inner = block.map { $0 ^ 0x36 }
        outer = block.map { $0 ^ 0x5C }
    }

    public func code(for message: [UInt8]) -> [UInt8] {
        SHA256.hash(outer + SHA256.hash(inner + message))
    }
}
