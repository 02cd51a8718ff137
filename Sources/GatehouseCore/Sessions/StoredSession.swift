import Crypto
public import GatehouseKit
import Wire

/// A session as it is stored and judged.
public struct StoredSession: Equatable, Sendable {
    public let id: SessionID
    public let account: AccountID
    public let client: ClientKind
    public let scope: Scope
    public let assurance: Assurance
    /// What was proved, and when; each piece keeps its own time.
    public let evidence: [SessionEvidence]
    /// Whether its owner asked to stay signed in.
    public let isRemembered: Bool
    public let createdAt: Timestamp
    /// When the newest piece of evidence was given.
    public let authenticatedAt: Timestamp
    public let lastSeenAt: Timestamp
    public let expiresAt: Timestamp
    /// How long it lives without being used.
    public let idleLimit: Timestamp.Span
    /// The session that took its place: this one is then good for the access check only.
    public let successor: SessionID?
    public let userAgent: String?
    public let address: String?

    public init(
        id: SessionID,
        account: AccountID,
        client: ClientKind,
        scope: Scope,
        assurance: Assurance,
        evidence: [SessionEvidence],
        isRemembered: Bool = false,
        createdAt: Timestamp,
        authenticatedAt: Timestamp,
        lastSeenAt: Timestamp,
        expiresAt: Timestamp,
        idleLimit: Timestamp.Span,
        successor: SessionID? = nil,
        userAgent: String?,
        address: String?
    ) {
        self.id = id
        self.account = account
        self.client = client
        self.scope = scope
        self.assurance = assurance
        self.evidence = evidence
        self.isRemembered = isRemembered
        self.createdAt = createdAt
        self.authenticatedAt = authenticatedAt
        self.lastSeenAt = lastSeenAt
        self.expiresAt = expiresAt
        self.idleLimit = idleLimit
        self.successor = successor
        self.userAgent = userAgent
        self.address = address
    }

    public enum Scope: String, Sendable {
        case full
        /// May add a credential and sign out, nothing else.
        case enrollment
        /// May add the account's first passkey and sign out, nothing else: what was proved isn't enough for more.
        case firstPasskey = "first-passkey"
    }

    /// For the cache, where nobody asks for it and it would be the longest string of all.
    var withoutUserAgent: StoredSession {
        StoredSession(
            id: id,
            account: account,
            client: client,
            scope: scope,
            assurance: assurance,
            evidence: evidence,
            isRemembered: isRemembered,
            createdAt: createdAt,
            authenticatedAt: authenticatedAt,
            lastSeenAt: lastSeenAt,
            expiresAt: expiresAt,
            idleLimit: idleLimit,
            successor: successor,
            userAgent: nil,
            address: address
        )
    }

    public var idleExpiresAt: Timestamp { lastSeenAt + idleLimit }

    /// The kinds that were used, in order, each once.
    public var methods: [CredentialKind] {
        evidence.reduce(into: []) { if !$0.contains($1.kind) { $0.append($1.kind) } }
    }
}

/// One piece of evidence in a session.
public struct SessionEvidence: Equatable, Sendable {
    public let kind: CredentialKind
    public let credential: CredentialID
    public let proof: Proof
    public let at: Timestamp

    public init(kind: CredentialKind, credential: CredentialID, proof: Proof, at: Timestamp) {
        self.kind = kind
        self.credential = credential
        self.proof = proof
        self.at = at
    }
}

/// The secret that carries a session: 32 random bytes, known to the client alone.
public struct SessionToken: Sendable {
    /// As in a cookie or a bearer header: 43 base64url characters.
    public let text: String

    /// The domain that it is good for, where there are several; empty for the main one.
    ///
    /// It goes into the digest, so that a token which is carried from one domain to another is that of no session.
    public let realm: String

    public static func random(in realm: String = "") -> SessionToken {
        SessionToken(text: Base64URL(bytes: Random.bytes(32)).text, realm: realm)
    }

    private init(text: String, realm: String) {
        self.text = text
        self.realm = realm
    }

    /// - Returns: `nil` unless `text` has the form of a token of ours.
    public init?(untrusted text: String, in realm: String = "") {
        guard text.utf8.count == 43, text.utf8.allSatisfy(Self.isTokenByte) else { return nil }
        self.init(text: text, realm: realm)
    }

    public var digest: TokenDigest { TokenDigest(SHA256.hash(Array((realm.isEmpty ? text : text + realm).utf8))) }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// SHA-256 of a token: all that is stored of it.
public struct TokenDigest: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    /// - Precondition: 32 bytes.
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == SHA256.byteCount, "a digest is 32 bytes")
        var words = SIMD4<UInt64>()
        for index in 0..<4 {
            words[index] = bytes[(index * 8)..<(index * 8 + 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.words = words
    }

    public var bytes: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - $0 % 8 * 8)) }
    }

    /// The digest is uniform already, so one word of it serves as the hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(words[1]) }

    var shard: Int { Int(words[0] & 0x1F) }
}
