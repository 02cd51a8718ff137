public import GatehouseKit
import Wire

extension OpenIDConnectProvider: BearerProvider {
    public func isMeant(by token: String) -> Bool {
        guard let rules = issuer.machineRules, let token = try? IDToken(parsing: Array(token.utf8)) else {
            return false
        }
        return rules.issuers.contains { $0.utf8.elementsEqual(token.claims.issuer.utf8) }
    }

    /// As at sign-in: only for a key that isn't at hand somebody has to wait.
    public func lane(forBearer token: String) -> WorkLane { lane(for: Credential(identityToken: token)) }

    /// Checks a token that was made for machines here, and finds the account that its subject was linked to.
    ///
    /// One for a sign-in has another audience, and this one no nonce: neither passes for the other.
    public func verify(bearer text: String) throws(SignInError) -> BearerEvidence {
        guard let rules = issuer.machineRules else {
            throw .refused(Refusal(.tokenInvalid, "the issuer's tokens are not for machines"))
        }
        let token = try judged { () throws(IDTokenFault) in
            let token = try IDToken(parsing: Array(text.utf8))
            // Before the look-up: an algorithm that isn't taken must not have keys fetched.
            try rules.check(token.algorithm)
            return token
        }
        let named = try found { () throws(ProviderFault) in try keys.keys(named: token.keyID, for: token.algorithm) }
        let claims = try judged { () throws(IDTokenFault) in try rules.verifyBearer(token, by: named, at: clock.now) }
        guard let record = try found({ () throws(ProviderFault) in try record(of: claims) }) else {
            throw .refused(Refusal(.credentialUnknown, "the subject is linked to no account"))
        }
        // A date of this age: it was checked when it was read.
        let end = Timestamp(milliseconds: claims.expiresAt * 1_000) + .seconds(IDTokenRules.skew)
        return BearerEvidence(account: record.account, expiresAt: end)
    }
}

extension OpenIDConnectProvider: LinkingProvider {
    public func credential(linking subject: String) throws(SignInError) -> NewCredential {
        guard IDTokenClaims.subjectLengths.contains(subject.utf8.count), let name = issuer.rules.issuers.first else {
            throw .refused(Refusal(.invalidValue, "a subject has 1 to 255 bytes"))
        }
        let known = try found { () throws(ProviderFault) in try record(under: issuer.keys(of: subject, at: name)) }
        guard known == nil else {
            throw .refused(Refusal(.credentialAlreadyRegistered, "the subject is linked to an account"))
        }
        let identity = LinkedIdentity(issuer: name, subject: subject, clientID: "", email: nil, isPrivateEmail: false)
        return NewCredential(
            key: TokenIssuer.key(of: subject, at: name),
            payload: try found { () throws(ProviderFault) in try identity.encoded() },
            name: nil,
            proof: Self.proof
        )
    }
}
