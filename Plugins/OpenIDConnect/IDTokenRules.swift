import Crypto
package import GatehouseKit
import Wire

/// What an issuer's ID tokens must say to count here (OpenID Connect Core 1.0 §3.1.3.7).
public struct IDTokenRules: Sendable {
    /// The names of one and the same issuer, compared byte for byte.
    let issuers: [String]
    /// Ours: the app's bundle identifier, the website's service identifier.
    let clientIDs: [String]
    let algorithms: [TokenAlgorithm]

    /// How far the clocks of issuer and gateway may differ, in seconds.
    static let skew: Int64 = 60

    /// - Parameters:
    ///   - issuers: Not empty.
    ///   - clientIDs: Not empty: with none, no token is for us.
    public init(issuers: [String], clientIDs: [String], algorithms: [TokenAlgorithm]) {
        self.issuers = issuers
        self.clientIDs = clientIDs
        self.algorithms = algorithms
    }

    /// Verifies a token that answers a ceremony.
    ///
    /// - Parameters:
    ///   - keys: Those of the issuer that have the token's key ID and algorithm; usually one.
    ///   - nonce: What the ceremony asked for.
    package func verify(
        _ token: IDToken,
        by keys: [TokenKey],
        nonce: TokenNonce,
        at now: Timestamp
    ) throws(IDTokenFault) -> IDTokenClaims {
        let claims = try verify(signatureOf: token, by: keys)
        try check(issuer: claims.issuer, audience: claims.audience, authorizedParty: claims.authorizedParty)
        try checkTime(claims, now: now.milliseconds / 1_000)
        guard let answered = claims.nonce, nonce.isAnswered(by: answered) else { throw .nonce }
        return claims
    }

    /// Verifies a token that answers nothing, and is for whoever is named in its audience.
    ///
    /// Who asked for it (`azp`) is the machine's own affair: its audience is not the client that got it.
    func verifyBearer(_ token: IDToken, by keys: [TokenKey], at now: Timestamp) throws(IDTokenFault) -> IDTokenClaims {
        let claims = try verify(signatureOf: token, by: keys)
        try check(issuer: claims.issuer, audience: claims.audience, authorizedParty: nil)
        try checkTime(claims, now: now.milliseconds / 1_000)
        return claims
    }

    private func verify(signatureOf token: IDToken, by keys: [TokenKey]) throws(IDTokenFault) -> IDTokenClaims {
        try check(token.algorithm)
        guard keys.contains(where: { $0.isValid(signature: token.signature, over: token.signedBytes) }) else {
            throw keys.isEmpty ? .key : .signature
        }
        return token.claims
    }

    func check(_ algorithm: TokenAlgorithm) throws(IDTokenFault) {
        guard algorithms.contains(algorithm) else { throw .algorithm }
    }

    /// An audience of several is taken only where all of them are ours: each of them could use the token.
    func check(issuer: String, audience: [String], authorizedParty: String?) throws(IDTokenFault) {
        guard issuers.contains(where: { $0.utf8.elementsEqual(issuer.utf8) }) else { throw .issuer }
        guard !audience.isEmpty, audience.allSatisfy(isOurs) else { throw .audience }
        guard authorizedParty.map(isOurs) ?? true else { throw .authorizedParty }
    }

    /// Not by `==`, which takes different spellings of one character for the same.
    private func isOurs(_ client: String) -> Bool { clientIDs.contains { $0.utf8.elementsEqual(client.utf8) } }

    func checkTime(_ claims: IDTokenClaims, now: Int64) throws(IDTokenFault) {
        guard now < claims.expiresAt + Self.skew else { throw .expired }
        guard claims.issuedAt <= now + Self.skew, claims.notBefore ?? 0 <= now + Self.skew else { throw .notYetValid }
    }
}

/// What ties a token to one ceremony: nobody can have asked for it before, or elsewhere.
package struct TokenNonce {
    /// The challenge as base64url.
    let text: String

    package init(_ ceremony: borrowing Ceremony) { text = Base64URL(bytes: ceremony.challenge.bytes).text }

    /// Whether a token's claim is the nonce itself or the SHA-256 of its text in lowercase hexadecimal, as apps send it.
    func isAnswered(by claim: String) -> Bool {
        let claim = Array(claim.utf8)
        let raw = Array(text.utf8)
        // Their lengths differ, so that at most one of the two comparisons looks at the bytes.
        return ConstantTime.equal(claim, raw) || ConstantTime.equal(claim, Hexadecimal.digits(of: SHA256.hash(raw)))
    }
}
