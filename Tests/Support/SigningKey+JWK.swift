import Wire

extension SigningKey {
    /// The public half as a JSON Web Key, as a device makes it.
    public var jwk: JSONValue {
        let point = publicBytes
        return .object([
            "kty": .string("EC"), "crv": .string("P-256"), "alg": .string("ES256"),
            "x": .string(Base64URL(bytes: Array(point.dropFirst().prefix(32))).text),
            "y": .string(Base64URL(bytes: Array(point.suffix(32))).text),
        ])
    }

    /// A signature as `r‖s`, 64 bytes: the form of JOSE.
    ///
    /// - Parameter wantsHighS: Whether `s` is the greater of its two values; `nil` for either.
    public func signRaw(_ message: [UInt8], wantsHighS: Bool? = nil) -> [UInt8] {
        let (r, s) = ECDSANumbers.split(der: sign(message))
        guard let wantsHighS, ECDSANumbers.isHigh(s) != wantsHighS else { return r + s }
        return r + ECDSANumbers.negated(s)
    }
}

/// Arithmetic on the two numbers of a P-256 signature, for tests.
enum ECDSANumbers {
    /// The order of P-256 (NIST SP 800-186 §3.2.1.3).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// The numbers of a DER signature that libcrypto made, 32 bytes each.
    static func split(der: [UInt8]) -> (r: [UInt8], s: [UInt8]) {
        let rLength = Int(der[3])
        return (padded(der[4..<4 + rLength]), padded(der[(6 + rLength)...]))
    }

    /// Whether a number is more than half the order.
    static func isHigh(_ number: [UInt8]) -> Bool { negated(number).lexicographicallyPrecedes(number) }

    /// The order less a number.
    static func negated(_ number: [UInt8]) -> [UInt8] {
        var borrow = 0
        var difference: [UInt8] = []
        for (minuend, subtrahend) in zip(order, number).reversed() {
            let digit = Int(minuend) - Int(subtrahend) - borrow
            borrow = digit < 0 ? 1 : 0
            difference.append(UInt8(truncatingIfNeeded: digit))
        }
        return difference.reversed()
    }

    private static func padded(_ digits: ArraySlice<UInt8>) -> [UInt8] {
        let significant = digits.drop { $0 == 0 }
        return [UInt8](repeating: 0, count: 32 - significant.count) + significant
    }
}
