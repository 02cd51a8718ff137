import Crypto
import Wire

/// The stable name of a kind of credential, as on the wire, in configuration and in stored sessions: `passkey`.
public struct CredentialKind: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Precondition: 1 to 32 lowercase ASCII letters and hyphens; kinds are literals in source.
    public init(_ name: StaticString) {
        let text = name.description
        precondition(Self.isWellFormed(text), "credential kind \(text) must be lowercase letters and hyphens")
        description = text
    }

    /// The ID tokens of an OpenID Connect issuer that the configuration names: `oidc:example`.
    ///
    /// - Returns: `nil` unless the name is 1 to 27 lowercase ASCII letters, digits and hyphens.
    public init?(issuerNamed name: String) {
        guard !name.utf8.contains(UInt8(ascii: ":")) else { return nil }
        self.init(untrusted: "oidc:" + name)
    }

    /// Whether it names an OpenID Connect issuer.
    public var isIssuer: Bool { description.hasPrefix("oidc:") }

    /// Accepts a name that a client sent, if it has the right form; it may name no registered provider.
    public init?(untrusted text: String) {
        guard Self.isWellFormed(text) else { return nil }
        description = text
    }

    private static func isWellFormed(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard (1...32).contains(text.utf8.count), parts.count <= 2, let family = parts.first else { return false }
        return isWord(family, withDigits: false) && parts.dropFirst().allSatisfy { isWord($0, withDigits: true) }
    }

    private static func isWord(_ text: Substring.UTF8View, withDigits takesDigits: Bool) -> Bool {
        !text.isEmpty
            && text.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): takesDigits
                default: false
                }
            }
    }

    public static let passkey = CredentialKind("passkey")
    public static let password = CredentialKind("password")
    public static let trustedDevice = CredentialKind("trusted-device")
    public static let apple = CredentialKind("apple")
    public static let recoveryLink = CredentialKind("recovery-link")
}

/// An identifier that we made up: 128 random bits, opaque, and safe in a URL, a log line and a database.
///
/// `Tag` keeps identifiers of different things apart.
public struct OpaqueID<Tag>: Hashable, Sendable, CustomStringConvertible {
    // Two words instead of text: a hundred thousand cached sessions hold half a million of these.
    private let high: UInt64
    private let low: UInt64

    private static var byteCount: Int { 16 }

    /// A new one.
    public static func random() -> Self { Self(bytes: Random.bytes(byteCount)) }

    /// One that was read back from our own storage.
    ///
    /// Text that is none becomes an identifier that nothing has.
    public init(stored text: String) { self = Self(untrusted: text) ?? Self(bytes: []) }

    /// One that a client sent, if it has the form of ours.
    ///
    /// - Returns: `nil` unless `text` is 22 base64url characters.
    public init?(untrusted text: String) {
        guard text.utf8.count == 22, let bytes = Base64URL(text)?.bytes else { return nil }
        self.init(bytes: bytes)
    }

    private init(bytes: [UInt8]) {
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// 22 base64url characters.
    public var text: String {
        let bytes = [high, low].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
        return Base64URL(bytes: bytes).text
    }

    public var description: String { text }
}

public enum AccountTag {}
public enum CredentialTag {}
public enum CeremonyTag {}
public enum SessionTag {}
public enum OfferTag {}

public typealias AccountID = OpaqueID<AccountTag>
public typealias CredentialID = OpaqueID<CredentialTag>
public typealias CeremonyID = OpaqueID<CeremonyTag>
public typealias SessionID = OpaqueID<SessionTag>
public typealias OfferID = OpaqueID<OfferTag>

/// An account as providers and pages see it.
public struct AccountReference: Equatable, Sendable {
    public let id: AccountID
    public let username: String
    public let displayName: String
    /// WebAuthn's user handle: 64 random bytes that never change and say nothing (WebAuthn Level 3 §14.6.1).
    public let userHandle: [UInt8]
    /// Which groups it is in; a new account is in none.
    public let groups: [String]

    public init(id: AccountID, username: String, displayName: String, userHandle: [UInt8], groups: [String] = []) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.userHandle = userHandle
        self.groups = groups
    }
}
