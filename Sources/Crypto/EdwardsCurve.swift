import COpenSSL

/// The checks of an Ed25519 point that libcrypto leaves out.
enum EdwardsCurve {
    /// The field prime, 2^255 - 19, big-endian.
    private static let prime: [UInt8] = [0x7F] + [UInt8](repeating: 0xFF, count: 30) + [0xED]

    /// The constant d of the curve equation -x² + y² = 1 + d x² y² (RFC 8032 §5.1), big-endian.
    private static let d: [UInt8] = [
        0x52, 0x03, 0x6C, 0xEE, 0x2B, 0x6F, 0xFE, 0x73, 0x8C, 0xC7, 0x40, 0x79, 0x77, 0x79, 0xE8, 0x98,
        0x00, 0x70, 0x0A, 0x4D, 0x41, 0x41, 0xD8, 0xAB, 0x75, 0xEB, 0x4D, 0xCA, 0x13, 0x59, 0x78, 0xA3,
    ]

    /// The y coordinates of the eight points whose order divides 8, big-endian: 0, 1, -1, and two of order 8.
    private static let smallOrderY: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [UInt8](repeating: 0, count: 31) + [1],
        [0x7F] + [UInt8](repeating: 0xFF, count: 30) + [0xEC],
        [
            0x05, 0xFC, 0x53, 0x6D, 0x88, 0x02, 0x38, 0xB1, 0x39, 0x33, 0xC6, 0xD3, 0x05, 0xAC, 0xDF, 0xD5,
            0xF0, 0x98, 0xEF, 0xF2, 0x89, 0xF4, 0xC3, 0x45, 0xB0, 0x27, 0xB2, 0xC2, 0x8F, 0x95, 0xE8, 0x26,
        ],
        [
            0x7A, 0x03, 0xAC, 0x92, 0x77, 0xFD, 0xC7, 0x4E, 0xC6, 0xCC, 0x39, 0x2C, 0xFA, 0x53, 0x20, 0x2A,
            0x0F, 0x67, 0x10, 0x0D, 0x76, 0x0B, 0x3C, 0xBA, 0x4F, 0xD8, 0x4D, 0x3D, 0x70, 0x6A, 0x17, 0xC7,
        ],
    ]

    /// Throws unless the 32 bytes are the one encoding of a point that generates more than the small subgroup.
    ///
    /// Points with x = 0, for which the sign bit would be a second encoding, are among those of small order.
    ///
    /// - Parameter hasPoint: Whether it is known that there is such a point: looking for it costs a tenth of a verification.
    static func check(_ encoding: [UInt8], hasPoint: Bool) throws(KeyFault) {
        guard let top = encoding.last else { throw .length(0) }
        let y = [top & 0x7F] + encoding.dropLast().reversed()
        guard y.lexicographicallyPrecedes(prime) else { throw .notCanonical }
        guard !smallOrderY.contains(y) else { throw .smallOrder }
        guard hasPoint || hasX(y) else { throw .notOnCurve }
    }

    /// Whether x² = (y² - 1) / (d y² + 1) has a solution.
    ///
    /// Asked of the product in place of the quotient, which differs from it by a square.
    private static func hasX(_ y: [UInt8]) -> Bool {
        guard let context = unsafe BN_CTX_new() else { return false }
        defer { unsafe BN_CTX_free(context) }
        guard let p = unsafe number(prime), let d = unsafe number(d), let y = unsafe number(y),
            let product = unsafe BN_new()
        else { return false }
        defer {
            unsafe BN_free(p)
            unsafe BN_free(d)
            unsafe BN_free(y)
            unsafe BN_free(product)
        }
        let computed =
            unsafe BN_mod_sqr(y, y, p, context) == 1
            && BN_mod_mul(product, d, y, p, context) == 1
            && BN_add_word(product, 1) == 1
            && BN_sub_word(y, 1) == 1
            && BN_mod_mul(product, product, y, p, context) == 1
        return unsafe computed && BN_kronecker(product, p, context) == 1
    }

    private static func number(_ bigEndian: [UInt8]) -> OpaquePointer? {
        unsafe BN_bin2bn(bigEndian, Int32(bigEndian.count), nil)
    }
}
