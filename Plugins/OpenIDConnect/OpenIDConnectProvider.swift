public import GatehouseKit
import Wire

/// Sign-in with the ID tokens of an OpenID Connect issuer (OpenID Connect Core 1.0): Apple, or any other.
///
/// The client gets the token from the issuer and presents it; the gateway takes no part in that but to send browsers to the
/// issuer's page where there is one. One instance serves one issuer, under a kind of its own.
public struct OpenIDConnectProvider: OfferingProvider, RedirectingProvider {
    public let kind: CredentialKind
    public let collection: CredentialCollection
    /// Worst case; see ``lane(for:)``.
    public let lane = WorkLane.network

    let issuer: TokenIssuer
    let keys: KeySetKeeper
    let vault: any CredentialVault
    /// `nil` where there is nothing to revoke, or no key to do it with.
    let apple: AppleTokens?
    public let authorizationPage: (any AuthorizationPage)?
    let clock: any Clock

    /// - Parameters:
    ///   - keys: The issuer's; somebody runs it.
    ///   - apple: Where links are ended at Apple's as well.
    ///   - page: Where browsers are sent.
    public init(
        _ issuer: TokenIssuer,
        keys: KeySetKeeper,
        vault: any CredentialVault,
        apple: AppleTokens? = nil,
        page: (any AuthorizationPage)? = nil,
        clock: any Clock
    ) {
        kind = issuer.kind
        collection = issuer.collection
        self.issuer = issuer
        self.keys = keys
        self.vault = vault
        self.apple = apple
        authorizationPage = page
        self.clock = clock
    }

    /// What the client asks the issuer with.
    public struct Offer: Encodable, Sendable {
        /// For the request as it is, or its SHA-256 in lowercase hexadecimal.
        let nonce: String
        let clientIds: [String]
    }

    /// A name beside the token is for sign-ups, and not read here.
    public struct Credential: Decodable, Sendable {
        let identityToken: String
    }

    /// The same for everybody: nothing in it depends on an account.
    public func offer(to visitor: Visitor, ceremony: borrowing Ceremony) throws(ProviderFault) -> Offer? {
        Offer(nonce: TokenNonce(ceremony).text, clientIds: issuer.rules.clientIDs)
    }
}

/// An issuer, and what its word is worth here.
public struct TokenIssuer: Sendable {
    public let kind: CredentialKind
    let rules: IDTokenRules
    /// What its tokens say to machines' requests; `nil` where machines may send none.
    let machineRules: IDTokenRules?
    /// Whether an address that it calls verified becomes that of a new account.
    ///
    /// Applications find their users by the address that the gateway tells them, so that whoever may name one may be anybody.
    let isTrustedWithEmail: Bool

    /// - Parameter machineAudiences: What tokens that machines send must be meant for; empty to take none.
    public init(
        kind: CredentialKind,
        rules: IDTokenRules,
        machineAudiences: [String] = [],
        isTrustedWithEmail: Bool
    ) {
        self.kind = kind
        self.rules = rules
        machineRules =
            machineAudiences.isEmpty
            ? nil
            : IDTokenRules(issuers: rules.issuers, clientIDs: machineAudiences, algorithms: rules.algorithms)
        self.isTrustedWithEmail = isTrustedWithEmail
    }

    public static let apple = "https://appleid.apple.com"

    /// `apple-ids`, and `oidc/example` for others.
    var collection: CredentialCollection {
        kind == .apple
            ? CredentialCollection(
                path: "apple-ids",
                listName: "appleIds",
                memberName: "appleId",
                removalNeedsFreshSession: true,
                allowsSignup: true
            )
            : CredentialCollection(
                path: kind.description.replacing(":", with: "/"),
                listName: "identities",
                memberName: "identity",
                removalNeedsFreshSession: true,
                allowsSignup: true
            )
    }
}
