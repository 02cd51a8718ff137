import COpenSSL

/// SHA-256 through libcrypto.
///
/// With the low-level functions, which ask for no memory: for so few bytes as are hashed here they take a third of the time
/// of `EVP_Digest` with an algorithm that was fetched once, and a sixth of that with `EVP_sha256()`.
public enum SHA256 {
    public static let byteCount = 32

    public static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](capacity: byteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                var state = SHA256_CTX()
                let ok = unsafe bytes.withUnsafeBufferPointer { input in
                    unsafe SHA256_Init(&state) & SHA256_Update(&state, input.baseAddress, input.count)
                        & SHA256_Final(buffer.baseAddress, &state)
                }
                precondition(ok == 1, "SHA-256 can't fail")
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
