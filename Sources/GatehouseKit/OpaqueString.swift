/// Preparation of passwords: PRECIS OpaqueString (RFC 8265 §4.2).
///
/// Every space becomes an ordinary one and the result is in NFC; case and width stay. Control characters are refused, as
/// the FreeformClass does (RFC 8264 §4.3).
public enum OpaqueString {
    /// - Returns: `nil` for an empty string, or one with a character that a password can't have.
    public static func prepare(_ text: String) -> String? {
        guard !text.isEmpty, !text.unicodeScalars.contains(where: isRefused) else { return nil }
        var mapped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            mapped.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
        }
        return Normalization.nfc(String(mapped))
    }

    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isNoncharacterCodePoint
        }
    }
}
