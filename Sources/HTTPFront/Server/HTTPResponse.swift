/// What a client is told.
///
/// The server adds `Date`, `Content-Length` and, where the connection ends, `Connection`. A response that sets
/// `Content-Length` itself, or a header that can't be written (line breaks, other control characters), is answered as
/// 500 instead: leaving out a header may be leaving out the one that protects someone.
public struct HTTPResponse: Sendable {
    public var status: Int
    /// In the order they are written; a name may stand several times, as `Set-Cookie` does.
    public var headers: [(String, String)]
    /// Not sent in answer to HEAD, nor with 204 and 304, but measured for `Content-Length`.
    public var body: HTTPBody

    public init(_ status: Int, headers: [(String, String)] = [], body: HTTPBody = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

public enum HTTPBody: Sendable {
    case bytes([UInt8])
    /// Bytes that many replies share, sent from where they are.
    case shared(StaticBytes)

    public static var none: HTTPBody { .bytes([]) }

    public var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .shared(let bytes): bytes.count
        }
    }
}

/// Bytes that live as long as the process: a file of the portal.
@safe
public struct StaticBytes: @unchecked Sendable {
    // Sound: written before the first copy of this value exists, then only read, and never freed.
    let start: UnsafeRawPointer
    public let count: Int

    /// Keeps a copy of `bytes` for ever; call it at start, not for each reply.
    public init(keeping bytes: [UInt8]) {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
        _ = unsafe copy.update(fromContentsOf: bytes)
        unsafe start = UnsafeRawPointer(copy.baseAddress ?? UnsafeMutablePointer<UInt8>.allocate(capacity: 1))
        count = bytes.count
    }

    public var bytes: [UInt8] {
        unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
