public import Wire

/// The 16 bytes that stand for a model of authenticators (WebAuthn Level 3 §6.5.1, `#sctn-attested-credential-data`,
/// editor's draft of 2026-07-30), as people write them.
public enum AAGUID {
    private static let groups = [8, 4, 4, 4, 12]

    /// - Parameter text: Hexadecimal digits with hyphens between them, 8-4-4-4-12.
    /// - Returns: `nil` for anything else.
    public static func bytes(of text: String) -> Base64URL? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == groups else { return nil }
        return Hexadecimal.bytes(of: parts.joined()).map(Base64URL.init(bytes:))
    }
}
