import Crypto
public import GatehouseKit
import Synchronization

/// Says who a request is from in a form that an application can verify: `Remote-Token`, a JWT (RFC 7519) signed with ES256.
///
/// Its keys live in memory alone, so that none can be copied from a file or a backup; see the decision record.
public final class IdentitySigner: Sendable {
    /// How long a token is good; it is signed anew once half of that is over.
    public static let life = Timestamp.Span.seconds(60)
    private static let renewal = Timestamp.Span.seconds(30)

    /// The shortest time between two keys: five minutes that applications keep the list of keys, and some to spare.
    public static let shortestRotation = Timestamp.Span.minutes(10)

    private let issuer: String
    private let ring: Mutex<IdentityKeyRing>

    /// - Parameter issuer: The public URL.
    /// - Throws: ``ProviderFault`` if libcrypto makes no keys.
    public init(issuer: String, rotation: Timestamp.Span, at now: Timestamp) throws(ProviderFault) {
        self.issuer = issuer
        do throws(OpenSSLFault) {
            ring = Mutex(try IdentityKeyRing(period: rotation, at: now))
        } catch { throw Self.fault }
    }

    private static let fault = ProviderFault("sign an identity", code: 0)

    /// The keys that verify what is signed now, was signed lately, and will be signed soon.
    public func publishedKeys(at now: Timestamp) throws(ProviderFault) -> [PublishedKey] {
        try turned(at: now) { $0.published }
    }

    /// The token of a caller for one host; most of the time one that was signed before.
    ///
    /// - Parameter host: Lower case, without a port.
    public func token(for caller: Caller, at host: String, now: Timestamp) throws(ProviderFault) -> String {
        try caller.withIdentities { (kept: inout [SignedIdentity]) throws(ProviderFault) in
            if let known = kept.first(where: { $0.host == host }), now < known.renewedAt { return known.text }
            let text = try sign(IdentityClaims(caller, issuer: issuer, audience: host, now: now), at: now)
            kept.removeAll { $0.host == host || now >= $0.renewedAt }
            if kept.count < SignedIdentity.hostsAtOnce {
                kept.append(SignedIdentity(host: host, text: text, renewedAt: now + Self.renewal))
            }
            return text
        }
    }

    private func sign(_ claims: IdentityClaims, at now: Timestamp) throws(ProviderFault) -> String {
        let key = try turned(at: now) { $0.current }
        do throws(OpenSSLFault) {
            let signed = "\(IdentityClaims.header(keyID: key.published.kid)).\(claims.text)"
            return "\(signed).\(IdentityClaims.encoded(try key.key.signature(over: Array(signed.utf8))))"
        } catch { throw Self.fault }
    }

    private func turned<Value: Sendable>(
        at now: Timestamp,
        _ body: (IdentityKeyRing) -> Value
    ) throws(ProviderFault) -> Value {
        do throws(OpenSSLFault) {
            return try ring.withLock { (ring: inout IdentityKeyRing) throws(OpenSSLFault) in
                try ring.turn(at: now)
                return body(ring)
            }
        } catch { throw Self.fault }
    }
}

/// A token that was signed for one host, kept by whom it is about.
struct SignedIdentity: Sendable {
    let host: String
    let text: String
    let renewedAt: Timestamp

    /// How many hosts a caller may visit within half a token's life; beyond that each request is signed for.
    static let hostsAtOnce = 16
}
