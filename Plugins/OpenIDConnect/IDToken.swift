import Wire

/// An ID token (OpenID Connect Core 1.0 §2) taken apart.
///
/// Whether it is true is ``IDTokenRules``' to say; until then its claims are claims.
public struct IDToken: Sendable {
    /// In bytes; an issuer that says a lot about people has two or three thousand.
    static let maximumSize = 16_384

    package let algorithm: TokenAlgorithm
    package let keyID: String
    package let claims: IDTokenClaims
    let signature: [UInt8]
    let signedBytes: [UInt8]

    /// - Throws: ``IDTokenFault`` unless it is a JWS in compact form that names its key and one of our algorithms, over
    ///   claims of the right types.
    public init(parsing text: [UInt8]) throws(IDTokenFault) {
        let token = try SignedClaims(parsing: text)
        algorithm = token.algorithm
        keyID = token.keyID
        signature = token.signature
        signedBytes = token.signedBytes
        claims = try IDTokenClaims(token.members)
    }
}

/// A signed set of claims (RFC 7519) whose signature is still to be verified.
struct SignedClaims {
    let algorithm: TokenAlgorithm
    let keyID: String
    let members: JSONMembers
    let signature: [UInt8]
    let signedBytes: [UInt8]

    init(parsing text: [UInt8]) throws(IDTokenFault) {
        guard text.count <= IDToken.maximumSize else { throw .malformed }
        let parts: CompactJWS
        let header: JSONMembers
        do throws(WireFault) {
            parts = try CompactJWS(parsing: text)
            header = try JSONMembers(parsing: parts.header, takesUnpairedSurrogates: false)
            members = try JSONMembers(parsing: parts.payload, takesUnpairedSurrogates: false)
        } catch { throw .malformed }
        algorithm = try Self.algorithm(header)
        keyID = try Self.keyID(header)
        try Self.checkRest(header)
        signature = parts.signature
        signedBytes = parts.signedBytes
    }

    private static func algorithm(_ header: JSONMembers) throws(IDTokenFault) -> TokenAlgorithm {
        guard case .string(let name) = header["alg"], let algorithm = TokenAlgorithm(rawValue: name) else {
            throw .algorithm
        }
        return algorithm
    }

    /// Without one, the key would be whichever fits.
    private static func keyID(_ header: JSONMembers) throws(IDTokenFault) -> String {
        guard case .string(let id) = header["kid"], !id.isEmpty else { throw .key }
        return id
    }

    /// Refuses critical extensions, none of which is known (RFC 7515 §4.1.11), and tokens that say they are of another type,
    /// such as a logout token (RFC 8725 §3.11).
    private static func checkRest(_ header: JSONMembers) throws(IDTokenFault) {
        guard header["crit"] == nil else { throw .malformed }
        switch header["typ"] {
        case nil: break
        case .string(let type) where type.lowercased() == "jwt": break
        default: throw .type
        }
    }
}

/// How tokens may be signed; `none` and everything with a shared secret has no name here.
public enum TokenAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
}

/// Why a token proves nothing.
public enum IDTokenFault: Error, Equatable, Sendable, CaseIterable {
    case malformed, algorithm, key, type, claims
    case signature
    case issuer, audience, authorizedParty, expired, notYetValid, nonce
}
