/// A request method (RFC 9110 §9): an uppercase token, compared exactly.
public struct HTTPMethod: Hashable, Sendable {
    public let name: String
    public init(_ name: String) { self.name = name }

    public static let get = HTTPMethod("GET")
    public static let head = HTTPMethod("HEAD")
    public static let post = HTTPMethod("POST")
    public static let put = HTTPMethod("PUT")
    public static let patch = HTTPMethod("PATCH")
    public static let delete = HTTPMethod("DELETE")
    public static let options = HTTPMethod("OPTIONS")
}

extension HTTPMethod {
    /// A method as it stands in a request line, or `nil` if it isn't a token.
    init?(token: UnsafeBufferPointer<UInt8>) {
        guard unsafe !token.isEmpty && token.allSatisfy(Self.isTokenByte) else { return nil }
        unsafe name = String(decoding: token, as: UTF8.self)
    }

    // One bit for each byte that may stand in a token (RFC 9110 §5.6.2): letters, digits and !#$%&'*+-.^_`|~
    private static let tokenBytesBelow64: UInt64 = 0x03FF_6CFA_0000_0000
    private static let tokenBytesFrom64: UInt64 = 0x57FF_FFFF_C7FF_FFFE

    static func isTokenByte(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        return (byte < 64 ? tokenBytesBelow64 : tokenBytesFrom64) >> UInt64(byte & 63) & 1 == 1
    }
}
