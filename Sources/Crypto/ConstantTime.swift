import COpenSSL

public enum ConstantTime {
    /// Whether two byte strings are equal, in a time that depends on their lengths alone.
    public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe CRYPTO_memcmp(left, right, left.count) == 0
    }
}
