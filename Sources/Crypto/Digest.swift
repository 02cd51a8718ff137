import COpenSSL

/// SHA-256 through libcrypto.
///
/// The algorithm is fetched once: `EVP_sha256()` makes OpenSSL 3 look it up on every call, which doubles the cost of
/// hashing a session token.
public enum SHA256 {
    public static let byteCount = 32

    static let algorithm = FetchedDigest("SHA256")

    public static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](capacity: byteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                let ok = unsafe bytes.withUnsafeBufferPointer { input in
                    unsafe EVP_Digest(
                        input.baseAddress,
                        input.count,
                        buffer.baseAddress,
                        nil,
                        algorithm.pointer,
                        nil
                    )
                }
                precondition(ok == 1, "SHA-256 can't fail once it is fetched")
                initialized = byteCount
            }
        }
    }

    public static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }
}

/// An `EVP_MD` that lives as long as the process.
@safe
struct FetchedDigest: @unchecked Sendable {
    // Sound: an EVP_MD is immutable once fetched, and never freed.
    let pointer: OpaquePointer

    init(_ name: StaticString) {
        guard let fetched = unsafe EVP_MD_fetch(nil, name.description, nil) else {
            fatalError("libcrypto has no \(name)")
        }
        unsafe pointer = fetched
    }
}
