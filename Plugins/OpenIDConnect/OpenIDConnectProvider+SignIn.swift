public import GatehouseKit

extension OpenIDConnectProvider: LaneChoosingProvider {
    /// One factor at the most, and none of ours: what the issuer asked for, and when, isn't known.
    ///
    /// Level aal1 therefore (NIST SP 800-63C-4 §3.4: an assertion that says nothing of the level has the lowest), and with
    /// another factor no more than that one is worth. Claims such as `amr` and `acr` have no meaning that was agreed on.
    static let proof = Proof(factors: [])

    /// A signature is quickly checked; only for a key that isn't at hand somebody has to wait.
    public func lane(for credential: Credential) -> WorkLane {
        guard let token = try? IDToken(parsing: Array(credential.identityToken.utf8)) else { return .compute }
        return keys.keysAtHand(named: token.keyID, for: token.algorithm).isEmpty ? .network : .compute
    }

    /// Checks the token, and finds the account that its subject was linked to.
    public func verify(_ credential: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence {
        let claims = try claims(of: credential.identityToken, nonce: TokenNonce(ceremony))
        let known = try found { () throws(ProviderFault) in try record(of: claims) }
        guard let record = known else {
            throw .refused(Refusal(.credentialUnknown, "the subject is linked to no account"))
        }
        try check(record.account, may: ceremony)
        return Evidence(account: record.account, credential: record.id, proof: Self.proof)
    }

    /// Verifies a token that answers a nonce.
    func claims(of identityToken: String, nonce: TokenNonce) throws(SignInError) -> IDTokenClaims {
        let token = try judged { () throws(IDTokenFault) in
            let token = try IDToken(parsing: Array(identityToken.utf8))
            // Before the look-up: an algorithm that isn't taken must not have keys fetched.
            try issuer.rules.check(token.algorithm)
            return token
        }
        let named = try found { () throws(ProviderFault) in
            try keys.keys(named: token.keyID, for: token.algorithm)
        }
        return try judged { () throws(IDTokenFault) in
            try issuer.rules.verify(token, by: named, nonce: nonce, at: clock.now)
        }
    }

    func judged<Token>(_ body: () throws(IDTokenFault) -> Token) throws(SignInError) -> Token {
        do throws(IDTokenFault) { return try body() } catch {
            throw .refused(Refusal(.tokenInvalid, error.reason))
        }
    }

    /// The record of a subject, under whichever of the issuer's names it was linked.
    func record(of claims: IDTokenClaims) throws(ProviderFault) -> CredentialRecord? {
        try record(under: issuer.keys(of: claims.subject, at: claims.issuer))
    }

    func record(under keys: [[UInt8]]) throws(ProviderFault) -> CredentialRecord? {
        for key in keys {
            if let record = try vault.record(key: key) { return record }
        }
        return nil
    }

    /// Checks that the subject's account is the one that the ceremony is for.
    private func check(_ owner: AccountID, may ceremony: borrowing Ceremony) throws(SignInError) {
        if let account = ceremony.account, account != owner {
            throw .refused(Refusal(.ceremonyAccountMismatch, "a subject of another account"))
        }
        guard let identifier = ceremony.identifier else { return }
        let named = try found { () throws(ProviderFault) in try vault.account(named: identifier) }
        guard named?.id == owner else {
            throw .refused(Refusal(.credentialRejected, "not a subject of the account that was named"))
        }
    }

    /// The result of a look-up, its failure as an outage.
    func found<Found>(_ lookUp: () throws(ProviderFault) -> Found) throws(SignInError) -> Found {
        do throws(ProviderFault) { return try lookUp() } catch { throw .unavailable(error) }
    }
}

extension TokenIssuer {
    /// What a subject is stored under: its issuer and itself.
    func key(of claims: IDTokenClaims) -> [UInt8] { Self.key(of: claims.subject, at: claims.issuer) }

    /// The keys that a subject can have been stored under, the likeliest first.
    ///
    /// - Parameter name: That of the issuer's names which a token has.
    ///
    /// Whoever signs for one name of an issuer signs for all, so that they can stand for each other; an issuer that changes its
    /// name loses nobody.
    func keys(of subject: String, at name: String) -> [[UInt8]] {
        ([name] + rules.issuers.filter { $0 != name }).map { Self.key(of: subject, at: $0) }
    }

    static func key(of subject: String, at issuer: String) -> [UInt8] { Array("\(issuer)\0\(subject)".utf8) }
}

extension IDTokenFault {
    var reason: Refusal.Reason {
        switch self {
        case .malformed: "not a signed token"
        case .algorithm: "signed with an algorithm that is not taken"
        case .key: "signed with a key that the issuer does not have"
        case .type: "a token of another type"
        case .claims: "a claim is missing or of the wrong type"
        case .signature: "the signature is wrong"
        case .issuer: "from another issuer"
        case .audience: "for another app"
        case .authorizedParty: "issued to another app"
        case .expired: "the token has expired"
        case .notYetValid: "the token is from the future"
        case .nonce: "the nonce is missing or not that of the ceremony"
        }
    }
}
