import Crypto
import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import PasskeyProvider
import WebAuthn
import Wire

/// A gateway's passkeys with the accounts alice and, of the group staff, bob, who have none yet.
struct PasskeySite {
    static let origin = "https://auth.example.test"

    let vault: MemoryVault
    let provider: PasskeyProvider
    let alice: AccountReference
    let bob: AccountReference

    init(policy: PasskeyPolicy = PasskeyPolicy(), decoyKey: [UInt8] = Array(0..<32)) {
        vault = MemoryVault()
        provider = Self.provider(vault, policy, decoyKey)
        alice = vault.addAccount("alice")
        bob = vault.addAccount("bob", groups: ["staff"])
    }

    /// The same accounts and passkeys after a restart with another policy.
    init(_ former: PasskeySite, policy: PasskeyPolicy) {
        vault = former.vault
        provider = Self.provider(vault, policy, Array(0..<32))
        (alice, bob) = (former.alice, former.bob)
    }

    private static func provider(_ vault: MemoryVault, _ policy: PasskeyPolicy, _ decoyKey: [UInt8]) -> PasskeyProvider
    {
        PasskeyProvider(
            relyingParty: RelyingParty(id: "auth.example.test", origins: [Self.origin]),
            name: "Example",
            vault: vault,
            decoyKey: decoyKey,
            policy: policy
        )
    }

    /// What the first call of an enrolment answers, and the ceremony as it is then stored.
    func begin(
        _ account: AccountReference,
        mediation: Mediation = .modal
    ) throws -> (options: PublicKeyCredentialCreationOptionsJSON, draft: CeremonyDraft) {
        var draft = CeremonyDraft.of(account)
        draft.mediation = mediation
        let start = try provider.beginEnrollment(
            JSONDecoder().decode(PasskeyProvider.Request.self, from: Data(#"{"username":"ignored"}"#.utf8)),
            of: account,
            existing: vault.records(of: account.id),
            ceremony: draft.ceremony
        )
        return (start.options, draft.keeping(memo: start.memo))
    }

    /// Enrols and stores a passkey.
    @discardableResult
    func enrol(
        _ authenticator: SoftAuthenticator,
        for account: AccountReference,
        mediation: Mediation = .modal,
        altering alterations: Alterations = Alterations()
    ) throws -> GatehouseKit.CredentialRecord {
        try finish(try begin(account, mediation: mediation), authenticator, for: account, altering: alterations)
    }

    @discardableResult
    func finish(
        _ begun: (options: PublicKeyCredentialCreationOptionsJSON, draft: CeremonyDraft),
        _ authenticator: SoftAuthenticator,
        for account: AccountReference,
        altering alterations: Alterations = Alterations()
    ) throws -> GatehouseKit.CredentialRecord {
        let (options, draft) = begun
        let json = try authenticator.create(
            optionsJSON: JSONValue.encode(options),
            origin: Self.origin,
            altering: alterations
        )
        let new = try provider.finishEnrollment(
            JSONDecoder().decode(RegistrationResponseJSON.self, from: json),
            of: account,
            ceremony: draft.ceremony
        )
        return vault.store(new, of: account)
    }

    /// The options of a sign-in ceremony.
    func options(in draft: CeremonyDraft) throws -> PublicKeyCredentialRequestOptionsJSON {
        struct Offered: Decodable { let options: PublicKeyCredentialRequestOptionsJSON }
        let offer = try provider.offer(to: draft.visitor, ceremony: draft.ceremony)
        return try JSONDecoder().decode(Offered.self, from: JSONValue.encode(offer)).options
    }

    /// The credential with which an authenticator answers a ceremony.
    ///
    /// - Parameter ignoringList: Whether it uses what it holds, whatever the ceremony allows.
    func answer(
        of authenticator: SoftAuthenticator,
        in draft: CeremonyDraft,
        ignoringList: Bool = false,
        altering alterations: Alterations = Alterations()
    ) throws -> JSONValue {
        var options = try options(in: draft)
        if ignoringList { options.allowCredentials = nil }
        let json = try authenticator.get(
            optionsJSON: JSONValue.encode(options),
            origin: Self.origin,
            altering: alterations
        )
        return .object(["kind": .string("passkey"), "response": try JSONValue(parsing: json)])
    }

    func verify(_ credential: JSONValue, in draft: CeremonyDraft) throws -> Evidence {
        let decoded = try JSONDecoder().decode(PasskeyProvider.Credential.self, from: credential.encoded)
        return try provider.verify(decoded, ceremony: draft.ceremony)
    }

    /// Signs in and stores what changed.
    @discardableResult
    func signIn(
        _ authenticator: SoftAuthenticator,
        in draft: CeremonyDraft = CeremonyDraft(),
        ignoringList: Bool = false,
        altering alterations: Alterations = Alterations()
    ) throws -> Evidence {
        let evidence = try verify(
            answer(of: authenticator, in: draft, ignoringList: ignoringList, altering: alterations),
            in: draft
        )
        vault.apply(evidence)
        return evidence
    }

    /// The code with which a sign-in is refused; `nil` if it isn't.
    func refusal(
        _ authenticator: SoftAuthenticator,
        in draft: CeremonyDraft = CeremonyDraft(),
        ignoringList: Bool = false,
        altering alterations: Alterations = Alterations()
    ) throws -> ProblemCode? {
        do {
            try signIn(authenticator, in: draft, ignoringList: ignoringList, altering: alterations)
            return nil
        } catch SignInError.refused(let refusal) { return refusal.code }
    }
}

extension SoftAuthenticator {
    /// One that differs from the usual in this.
    static func with(_ change: (inout Settings) -> Void) -> SoftAuthenticator {
        var settings = Settings()
        change(&settings)
        return SoftAuthenticator(settings)
    }
}
