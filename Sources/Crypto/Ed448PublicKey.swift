import COpenSSL

/// Ed448 (RFC 8032 §5.2).
public struct Ed448PublicKey: PublicKey {
    public static let byteCount = 57

    private let key: RawPublicKey

    /// - Parameters:
    ///   - encoding: 57 bytes: the y coordinate, little-endian, and the sign of x in the top bit.
    ///   - wasKey: As for ``Ed25519PublicKey``.
    /// - Throws: ``KeyFault`` unless it is the one encoding of a point of the curve whose order isn't small.
    public init(encoding: [UInt8], wasKey: Bool = false) throws(KeyFault) {
        guard encoding.count == Self.byteCount else { throw .length(encoding.count) }
        try GoldilocksCurve.check(encoding, hasPoint: wasKey)
        key = try RawPublicKey(type: EVP_PKEY_ED448, encoding: encoding)
    }

    public func isValid(signature: [UInt8], over message: [UInt8]) -> Bool {
        key.isValid(signature: signature, over: message)
    }
}

/// The checks of an Ed448 point that libcrypto leaves out.
private enum GoldilocksCurve {
    /// The field prime, 2^448 - 2^224 - 1, big-endian.
    private static let prime =
        [UInt8](repeating: 0xFF, count: 27) + [0xFE] + [UInt8](repeating: 0xFF, count: 28)

    /// The y coordinates of the four points whose order divides 4: 1, -1 and 0.
    private static let smallOrderY: [[UInt8]] = [
        [UInt8](repeating: 0, count: 55) + [1],
        [UInt8](repeating: 0xFF, count: 27) + [0xFE] + [UInt8](repeating: 0xFF, count: 27) + [0xFE],
        [UInt8](repeating: 0, count: 56),
    ]

    static func check(_ encoding: [UInt8], hasPoint: Bool) throws(KeyFault) {
        guard let top = encoding.last, top & 0x7F == 0 else { throw .notCanonical }
        let y = Array(encoding.dropLast().reversed())
        guard y.lexicographicallyPrecedes(prime) else { throw .notCanonical }
        guard !smallOrderY.contains(y) else { throw .smallOrder }
        guard hasPoint || hasX(y) else { throw .notOnCurve }
    }

    /// Whether x² = (1 - y²) / (1 + 39081 y²) has a solution (RFC 8032 §5.2.3).
    ///
    /// Asked of the product in place of the quotient, which differs from it by a square; and of y² - 1, as -1 is none.
    private static func hasX(_ y: [UInt8]) -> Bool {
        guard let context = unsafe BN_CTX_new() else { return false }
        defer { unsafe BN_CTX_free(context) }
        guard let p = unsafe number(prime), let y = unsafe number(y), let product = unsafe BN_new() else {
            return false
        }
        defer {
            unsafe BN_free(p)
            unsafe BN_free(y)
            unsafe BN_free(product)
        }
        let computed =
            unsafe BN_mod_sqr(y, y, p, context) == 1
            && BN_copy(product, y) != nil
            && BN_mul_word(product, 39_081) == 1
            && BN_add_word(product, 1) == 1
            && BN_sub_word(y, 1) == 1
            && BN_mod_mul(product, product, y, p, context) == 1
        return unsafe computed && BN_kronecker(product, p, context) == -1
    }

    private static func number(_ bigEndian: [UInt8]) -> OpaquePointer? {
        unsafe BN_bin2bn(bigEndian, Int32(bigEndian.count), nil)
    }
}
