import Crypto
import Wire

/// An account name in the one form that is compared and stored: PRECIS UsernameCaseMapped (RFC 8265 §3.3).
///
/// Fullwidth and halfwidth forms become ordinary ones, letters become lower case by Unicode's locale-independent mapping,
/// and the result is in NFC. What people can't see, or couldn't tell from something else that is compatible with it
/// (RFC 8264 §9), is refused. Look-alikes of another script are different names.
public struct Identifier: Hashable, Sendable, CustomStringConvertible {
    /// UTF-8 bytes; long enough for any mail address (RFC 5321 §4.5.3.1).
    public static let maximumByteCount = 254

    public let description: String

    /// - Returns: `nil` if no account can have this name.
    public init?(_ text: String) {
        guard (1...Self.maximumByteCount).contains(text.utf8.count) else { return nil }
        var mapped = ""
        for scalar in text.unicodeScalars {
            guard let narrow = Self.widthMapped(scalar) else { return nil }
            for part in narrow.unicodeScalars { mapped += part.properties.lowercaseMapping }
        }
        guard let prepared = Normalization.nfc(mapped), (1...Self.maximumByteCount).contains(prepared.utf8.count),
            prepared.unicodeScalars.allSatisfy(Self.isAllowed)
        else { return nil }
        description = prepared
    }

    /// One that was read back from our own storage.
    public init(stored text: String) { description = text }

    private static func widthMapped(_ scalar: Unicode.Scalar) -> String? {
        (0xFF01...0xFFEF).contains(scalar.value) ? Normalization.nfkc(String(scalar)) : String(scalar)
    }

    /// The IdentifierClass of RFC 8264 §4.2, without its contextual rules: what those allow in context is refused.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x21...0x7E).contains(scalar.value) }
        let properties = scalar.properties
        guard !properties.isDefaultIgnorableCodePoint, !properties.isNoncharacterCodePoint else { return false }
        switch properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter, .decimalNumber, .nonspacingMark,
            .spacingMark:
            return !isOldHangulJamo(scalar) && Normalization.nfkc(String(scalar)) == Normalization.nfc(String(scalar))
        default:
            return false
        }
    }

    private static func isOldHangulJamo(_ scalar: Unicode.Scalar) -> Bool {
        (0x1100...0x11FF).contains(scalar.value) || (0xA960...0xA97F).contains(scalar.value)
            || (0xD7B0...0xD7FF).contains(scalar.value)
    }
}

extension Identifier {
    /// The identifier to look up for whatever a client typed.
    ///
    /// Text that can't be a name becomes one that no account has, so that it goes the way of an unknown name, at the same
    /// cost; a space never stands in a real one.
    public static func claimed(_ text: String) -> Identifier {
        Identifier(text) ?? Identifier(stored: " " + Base64URL(bytes: SHA256.hash(Array(text.utf8))).text)
    }
}
