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

    /// Accepts a name that a client sent, if it has the right form; it may name no registered provider.
    public init?(untrusted text: String) {
        guard Self.isWellFormed(text) else { return nil }
        description = text
    }

    private static func isWellFormed(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy { (97...122).contains($0) || $0 == 45 }
    }

    public static let passkey = CredentialKind("passkey")
    public static let password = CredentialKind("password")
    public static let trustedDevice = CredentialKind("trusted-device")
    public static let recoveryLink = CredentialKind("recovery-link")
}

/// An identifier that we made up: random, opaque, and safe in a URL, a log line and a database.
///
/// `Tag` keeps identifiers of different things apart.
public struct OpaqueID<Tag>: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// A new one of 128 random bits.
    public static func random() -> Self { Self(stored: Base64URL(bytes: Random.bytes(16)).text) }

    /// One that was read back from our own storage.
    public init(stored text: String) { self.text = text }

    /// One that a client sent, if it has the form of ours.
    ///
    /// - Returns: `nil` unless `text` is 22 base64url characters.
    public init?(untrusted text: String) {
        guard text.utf8.count == 22, Base64URL(text) != nil else { return nil }
        self.text = text
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

    public init(id: AccountID, username: String, displayName: String, userHandle: [UInt8]) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.userHandle = userHandle
    }
}
