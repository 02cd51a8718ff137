import Crypto
import GatehouseKit
import Wire

/// A key that signs for a while, with what others need to verify what it signed.
final class IdentityKey: Sendable {
    let key: P256SigningKey
    let published: PublishedKey

    init() throws(OpenSSLFault) {
        key = try P256SigningKey()
        let (x, y) = try key.coordinates()
        published = PublishedKey(x: Base64URL(bytes: x).text, y: Base64URL(bytes: y).text)
    }
}

/// A public key as a JWK (RFC 7517, RFC 7518 §6.2).
public struct PublishedKey: Encodable, Equatable, Sendable {
    let kty = "EC"
    let crv = "P-256"
    let x: String
    let y: String
    let use = "sig"
    let alg = "ES256"
    let kid: String

    init(x: String, y: String) {
        self.x = x
        self.y = y
        // The key's thumbprint (RFC 7638 §3): its members in this order, without white space.
        let members = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        kid = Base64URL(bytes: SHA256.hash(Array(members.utf8))).text
    }

    private enum CodingKeys: String, CodingKey { case kty, crv, x, y, use, alg, kid }
}

/// The keys of a gateway: the one that signs, the one that will, and the one that did.
///
/// The next one is published for a whole period before it signs anything, the last one for a whole period after: both longer
/// than applications keep the list, and than a token lives.
struct IdentityKeyRing: Sendable {
    private(set) var current: IdentityKey
    private var next: IdentityKey
    private var previous: IdentityKey?
    private var rotatesAt: Timestamp
    private let period: Timestamp.Span

    init(period: Timestamp.Span, at now: Timestamp) throws(OpenSSLFault) {
        self.period = period
        current = try IdentityKey()
        next = try IdentityKey()
        rotatesAt = now + period
    }

    /// Moves on by one key if it is time, however long it was time: the next one has to be published first.
    mutating func turn(at now: Timestamp) throws(OpenSSLFault) {
        guard now >= rotatesAt else { return }
        let new = try IdentityKey()
        (previous, current, next) = (current, next, new)
        rotatesAt = now + period
    }

    var published: [PublishedKey] { [current, next, previous].compactMap { $0?.published } }
}
