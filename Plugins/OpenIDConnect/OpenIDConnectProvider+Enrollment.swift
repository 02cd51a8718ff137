public import GatehouseKit

extension OpenIDConnectProvider: EnrollingProvider {
    /// Nothing of it is the provider's.
    public struct Request: Decodable, Sendable {}

    public struct Registration: Decodable, Sendable {
        let identityToken: String
        /// Single use, of five minutes; with it the link can be ended at Apple's once it is removed here.
        let authorizationCode: Secret?
        /// What the client got beside the token, at the first consent only; nobody signed it.
        let user: User?

        struct User: Decodable, Sendable { let name: String? }
    }

    public func beginEnrollment(
        _ request: Request,
        of account: AccountReference,
        existing: [CredentialRecord],
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> EnrollmentStart<Offer> {
        EnrollmentStart(options: Offer(nonce: TokenNonce(ceremony).text, clientIds: issuer.rules.clientIDs))
    }

    /// Checks the token, and links its subject to the account that is signed in or being made.
    ///
    /// To no other: an address in the token finds nobody. Whoever registered it here first need not be whose it is.
    public func finishEnrollment(
        _ registration: Registration,
        of account: AccountReference,
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> NewCredential {
        let claims = try claims(of: registration.identityToken, nonce: TokenNonce(ceremony))
        guard try found({ () throws(ProviderFault) in try record(of: claims) }) == nil else {
            throw .refused(Refusal(.credentialAlreadyRegistered, "the subject is linked to an account"))
        }
        let identity = LinkedIdentity(claims)
        return NewCredential(
            key: issuer.key(of: claims),
            payload: try found { () throws(ProviderFault) in try identity.encoded() },
            name: nil,
            proof: Self.proof,
            remnant: try remnant(of: registration.authorizationCode, claims),
            profile: VouchedProfile(
                displayName: registration.user?.name ?? claims.name,
                verifiedEmail: issuer.isTrustedWithEmail ? claims.verifiedEmail : nil
            )
        )
    }

    public func summary(of record: CredentialRecord, isCurrent: Bool) throws(ProviderFault) -> IdentitySummary {
        IdentitySummary(record, try LinkedIdentity.decode(record.payload), isCurrent: isCurrent)
    }
}

extension LinkedIdentity {
    fileprivate init(_ claims: IDTokenClaims) {
        issuer = claims.issuer
        subject = claims.subject
        clientID = claims.audience.first ?? ""
        email = claims.email
        isPrivateEmail = claims.isPrivateEmail
    }
}

extension IDTokenClaims {
    /// The person's own address, if the issuer has seen that it is.
    fileprivate var verifiedEmail: String? { isEmailVerified && !isPrivateEmail ? email : nil }
}
