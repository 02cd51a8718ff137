public import GatehouseKit
public import WebAuthn
import Wire

/// Sign-in with a passkey: W3C Web Authentication Level 3, as a relying party.
///
/// The cryptography is `WebAuthn`'s. This decides whose credential a response may be, keeps the records, and says what
/// a good response proves.
public struct PasskeyProvider: OfferingProvider {
    public let kind = CredentialKind.passkey

    let relyingParty: RelyingParty
    /// Shown by authenticators beside the account.
    let name: String
    let vault: any CredentialVault
    let decoys: Decoys
    let policy: PasskeyPolicy

    /// - Parameters:
    ///   - name: The service as people know it.
    ///   - vault: The records of this provider.
    ///   - decoyKey: 32 random bytes that are kept: with another key, names without a passkey would be answered with
    ///     other lists than before, and those with one would not.
    public init(
        relyingParty: RelyingParty,
        name: String,
        vault: any CredentialVault,
        decoyKey: [UInt8],
        policy: PasskeyPolicy = PasskeyPolicy()
    ) {
        self.relyingParty = relyingParty
        self.name = name
        self.vault = vault
        self.decoys = Decoys(key: decoyKey)
        self.policy = policy
    }

    public func outlivesDevice(_ record: GatehouseKit.CredentialRecord) -> Bool {
        (try? PasskeyPayload.decode(record.payload))?.backupState ?? false
    }

    public struct Credential: Decodable, Sendable {
        let response: AuthenticationResponseJSON
    }

    public struct Offer: Encodable, Sendable {
        let options: PublicKeyCredentialRequestOptionsJSON
    }

    /// Asks for any passkey, for those of the account that is signed in, or for those of the account that was named.
    ///
    /// A name without passkeys gets decoys, after the same look-ups.
    public func offer(to visitor: Visitor, ceremony: borrowing Ceremony) throws(ProviderFault) -> Offer? {
        Offer(
            options: PublicKeyCredentialRequestOptionsJSON(
                challenge: Base64URL(bytes: ceremony.challenge.bytes),
                rpId: relyingParty.id,
                timeout: policy.timeout,
                allowCredentials: try allowList(for: visitor),
                userVerification: policy.userVerification,
                hints: policy.hints
            )
        )
    }

    private func allowList(for visitor: Visitor) throws(ProviderFault) -> [PublicKeyCredentialDescriptor] {
        if let account = visitor.steppingUp { return try passkeys(of: account.id) }
        guard let identifier = visitor.identifier else { return [] }
        let account = try vault.account(named: identifier)
        let own = try passkeys(of: account?.id ?? .random())
        return own.isEmpty ? try decoys.list(for: identifier) : own
    }

    private func passkeys(of account: AccountID) throws(ProviderFault) -> [PublicKeyCredentialDescriptor] {
        try Self.descriptors(of: try vault.records(of: account))
    }

    static func descriptors(
        of records: [GatehouseKit.CredentialRecord]
    ) throws(ProviderFault) -> [PublicKeyCredentialDescriptor] {
        try records.map { (record) throws(ProviderFault) in
            PublicKeyCredentialDescriptor(try PasskeyPayload.decode(record.payload))
        }
    }
}
