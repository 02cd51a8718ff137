import Crypto
import GatehouseKit

/// 80 random bits in a form that is read from paper and typed: `7QK2-M0XD-9HTA-R4VW`.
///
/// More than the 64 bits from which on guessing needs no throttle (NIST SP 800-63B-4 §3.1.2).
struct RecoveryCode: Equatable {
    static let length = 16

    /// Crockford's 32 digits: no I, L and O, which look like others, and no U.
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// ASCII, without the hyphens.
    let digits: [UInt8]

    /// Every digit has its own random byte; 32 divides 256, so none is more likely than another.
    static func random() -> Self {
        Self(digits: Random.bytes(length).map { alphabet[Int($0 & 31)] })
    }

    private init(digits: [UInt8]) { self.digits = digits }

    /// As people type it: in any case, grouped or not, and with the look-alikes that the alphabet leaves out.
    ///
    /// - Returns: What is no code becomes one that no list has, and is searched for all the same.
    init(typed secret: Secret) {
        let digits = (secret.text ?? "").unicodeScalars.lazy.filter { !Self.isSeparator($0) }.map(Self.digit)
        let code = Array(digits.prefix(Self.length + 1))
        self.init(digits: code.count == Self.length ? code : [])
    }

    /// Four groups of four.
    var text: String {
        stride(from: 0, to: digits.count, by: 4)
            .map { String(decoding: digits[$0..<min($0 + 4, digits.count)], as: UTF8.self) }
            .joined(separator: "-")
    }

    /// Spaces and every kind of hyphen: word processors put in their own.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .dashPunctuation
    }

    /// The digit that a character stands for; what stands for none becomes 0, which is not ASCII for a digit.
    private static func digit(_ scalar: Unicode.Scalar) -> UInt8 {
        switch scalar {
        case "O", "o": UInt8(ascii: "0")
        case "I", "i", "L", "l": UInt8(ascii: "1")
        case "a"..."z": UInt8(scalar.value) - 32
        case "0"..."9", "A"..."Z": UInt8(scalar.value)
        default: 0
        }
    }
}
