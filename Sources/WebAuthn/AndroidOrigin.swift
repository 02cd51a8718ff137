public import Wire

/// What an Android app stands for in the client data: the certificate that it is signed with.
///
/// Android gives native apps no web origin; its Credential Manager puts `android:apk-key-hash:` and the base64url of the
/// certificate's SHA-256 in its place ("Verify the origin", developer.android.com/identity/sign-in/credential-manager).
public struct AndroidOrigin: Hashable, Sendable {
    /// SHA-256 of the signing certificate, 32 bytes.
    public let certificateHash: Base64URL

    /// - Parameter text: 32 bytes in hexadecimal with colons between them, as `keytool -list` and `apksigner` print
    ///   them, in either case.
    /// - Returns: `nil` for anything else.
    public init?(certificateFingerprint text: String) {
        let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pairs.count == 32, pairs.allSatisfy({ $0.utf8.count == 2 }),
            let bytes = Hexadecimal.bytes(of: pairs.joined())
        else { return nil }
        certificateHash = Base64URL(bytes: bytes)
    }

    /// The origin, for ``RelyingParty/origins``.
    public var text: String { "android:apk-key-hash:" + certificateHash.text }
}
