public import Crypto
import FoundationEssentials
import GatehouseKit
import Wire

/// What the gateway shows Apple to be a client of a team: a token that it signs itself (RFC 7523; Apple, "Creating a client
/// secret").
public struct AppleClientSecret: Sendable {
    private let teamID: String
    private let keyID: String
    private let key: P256SigningKey

    /// Seconds; Apple takes up to six months, and one call needs none of it.
    private static let lifetime: Int64 = 300

    /// - Parameters:
    ///   - teamID: Ten letters and digits.
    ///   - keyID: The ID that Apple gave the key.
    public init(teamID: String, keyID: String, key: P256SigningKey) {
        self.teamID = teamID
        self.keyID = keyID
        self.key = key
    }

    private struct Header: Encodable {
        let alg = "ES256"
        let kid: String
    }

    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
        let exp: Int64
        let aud = TokenIssuer.apple
        let sub: String
    }

    /// - Parameter clientID: The app or service that the call is about.
    func text(for clientID: String, at now: Timestamp) throws(ProviderFault) -> String {
        let seconds = now.milliseconds / 1_000
        let claims = Claims(iss: teamID, iat: seconds, exp: seconds + Self.lifetime, sub: clientID)
        do {
            let signed = try [Self.encode(Header(kid: keyID)), Self.encode(claims)].joined(separator: ".")
            let signature = try key.signature(over: Array(signed.utf8))
            return "\(signed).\(Base64URL(bytes: signature).text)"
        } catch { throw ProviderFault("sign a client secret", code: 0) }
    }

    private static func encode(_ part: some Encodable) throws -> String {
        Base64URL(bytes: [UInt8](try JSONEncoder().encode(part))).text
    }
}
