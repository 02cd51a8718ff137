import COpenSSL

/// Hash functions, through libcrypto.
public enum HashFunction: Sendable {
    /// Broken for everything; only to check password hashes that other systems made.
    case md5
    /// Broken for signatures; only for what TPMs of old firmware certified.
    case sha1
    case sha256
    case sha384
    case sha512

    private static let fetchedMD5 = FetchedDigest("MD5")
    private static let fetchedSHA1 = FetchedDigest("SHA1")
    private static let fetchedSHA256 = FetchedDigest("SHA256")
    private static let fetchedSHA384 = FetchedDigest("SHA384")
    private static let fetchedSHA512 = FetchedDigest("SHA512")

    public var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    var algorithm: FetchedDigest {
        switch self {
        case .md5: Self.fetchedMD5
        case .sha1: Self.fetchedSHA1
        case .sha256: Self.fetchedSHA256
        case .sha384: Self.fetchedSHA384
        case .sha512: Self.fetchedSHA512
        }
    }

    public func hash(_ bytes: [UInt8]) -> [UInt8] {
        if self == .sha256 { return SHA256.hash(bytes) }
        return [UInt8](capacity: byteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                let ok = unsafe EVP_Digest(bytes, bytes.count, buffer.baseAddress, nil, algorithm.pointer, nil)
                precondition(ok == 1, "a digest can't fail once it is fetched")
                initialized = byteCount
            }
        }
    }
}
