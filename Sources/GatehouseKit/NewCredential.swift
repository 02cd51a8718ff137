/// A credential that was checked and is to be stored.
public struct NewCredential: Equatable, Sendable {
    /// What the provider looks it up by; unique among its kind.
    public let key: [UInt8]
    /// The provider's own encoding, which no other code reads.
    public let payload: [UInt8]
    public let name: String?
    /// What enrolling it proved, should it sign the account in at once.
    public let proof: Proof
    /// Credentials of this kind with the same value here are replaced: one key per installation, one password per account.
    public let slot: [UInt8]?
    /// A credential of the account that has to be there still, and is replaced.
    public let replaces: CredentialID?
    /// What has to be ended elsewhere once the credential is gone; see ``RevokingProvider``.
    public let remnant: [UInt8]?
    /// What a sign-up may take over for the account that it makes.
    public let profile: VouchedProfile?

    public init(
        key: [UInt8],
        payload: [UInt8],
        name: String?,
        proof: Proof,
        slot: [UInt8]? = nil,
        replaces: CredentialID? = nil,
        remnant: [UInt8]? = nil,
        profile: VouchedProfile? = nil
    ) {
        self.key = key
        self.payload = payload
        self.name = name
        self.proof = proof
        self.slot = slot
        self.replaces = replaces
        self.remnant = remnant
        self.profile = profile
    }
}

/// What came with a credential about the person who holds it.
///
/// Used for a new account and never to find one: whoever controls an address need not be who registered it here.
public struct VouchedProfile: Equatable, Sendable {
    /// Only a suggestion; shown as the account's name where the sign-up gave none.
    public let displayName: String?
    /// An address that whoever vouches for it has seen the person receive mail at.
    public let verifiedEmail: String?

    public init(displayName: String?, verifiedEmail: String?) {
        self.displayName = displayName
        self.verifiedEmail = verifiedEmail
    }
}
