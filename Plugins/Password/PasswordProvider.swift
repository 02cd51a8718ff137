public import GatehouseKit

/// Sign-in with a name and a password, checked against a stored hash (NIST SP 800-63B-4 §3.1.1).
public struct PasswordProvider: OfferingProvider, SecretSettingProvider, ImportingProvider, BasicSchemeProvider {
    public let kind = CredentialKind.password

    private let vault: any CredentialVault
    private let policy: PasswordPolicy
    private let hasher: PasswordHasher

    /// Hashed against when the account is unknown or has no password, at the cost of a real hash, so that the time taken
    /// doesn't tell which names exist.
    private let decoy: StoredPassword

    public init(
        vault: any CredentialVault,
        policy: PasswordPolicy = PasswordPolicy(),
        hasher: PasswordHasher = PasswordHasher()
    ) {
        self.vault = vault
        self.policy = policy
        self.hasher = hasher
        decoy = hasher.decoy()
    }

    public struct Credential: Decodable, Sendable {
        let identifier: String
        let password: Secret
    }

    /// Nothing: a password answers without being asked anything.
    public struct Offer: Encodable, Sendable {}

    public var lane: WorkLane { .hashing }

    /// Somewhere else than where passwords are checked, where another host has to be asked first.
    public var settingLane: WorkLane { policy.asksElsewhere ? .network : .hashing }

    public func claimedIdentifier(_ credential: Credential) -> Identifier? { .claimed(credential.identifier) }

    /// Takes part for everybody, known or not; in a step-up only where the account has a password.
    public func offer(to visitor: Visitor, ceremony: borrowing Ceremony) throws(ProviderFault) -> Offer? {
        guard let account = visitor.steppingUp else { return Offer() }
        return try vault.record(key: Self.key(of: account.id)) == nil ? nil : Offer()
    }

    public func verify(_ credential: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence {
        try verify(credential.password, named: credential.identifier)
    }

    public func verify(_ secret: Secret, named identifier: String) throws(SignInError) -> Evidence {
        let password = try prepared(secret)
        let verdict: Result<Evidence, Refusal>
        do throws(ProviderFault) {
            verdict = try evidence(password, try vault.account(named: .claimed(identifier)))
        } catch { throw .unavailable(error) }
        return try verdict.evidence
    }

    public func check(_ secret: Secret, of account: AccountReference) throws(SignInError) {
        let password = try prepared(secret)
        let verdict: Result<Evidence, Refusal>
        do throws(ProviderFault) {
            verdict = try evidence(password, account)
        } catch { throw .unavailable(error) }
        _ = try verdict.evidence
    }

    public func credential(
        settingTo secret: Secret,
        of account: AccountReference
    ) throws(SignInError) -> NewCredential {
        let password = try policy.accept(secret, of: account)
        do throws(ProviderFault) {
            return Self.credential(try hasher.hash(password), of: account)
        } catch { throw .unavailable(error) }
    }

    /// Keeps a hash of another system as it is until its owner signs in; one of ours takes its place then.
    public func credential(importing stored: String, of account: AccountReference) throws(Refusal) -> NewCredential {
        Self.credential(try ForeignHash.stored(stored, within: hasher.memoryLimit), of: account)
    }

    private static func credential(_ hash: String, of account: AccountReference) -> NewCredential {
        let key = key(of: account.id)
        return NewCredential(key: key, payload: Array(hash.utf8), name: nil, proof: proof, slot: key)
    }

    private static let proof = Proof(factors: .knowledge)

    /// One password an account.
    private static func key(of account: AccountID) -> [UInt8] { Array(account.text.utf8) }

    /// What a password may have been hashed as: prepared, as we do it, and as it was typed, as others do.
    ///
    /// Before any account is looked up, so that what it refuses says nothing about one.
    private func prepared(_ secret: Secret) throws(SignInError) -> [[UInt8]] {
        guard let password = PasswordPolicy.prepare(secret), let typed = secret.text.map({ Array($0.utf8) }) else {
            throw .refused(Refusal(.malformedCredential, "no password can look like this"))
        }
        return typed == password ? [password] : [password, typed]
    }
}

extension PasswordProvider {
    /// The verdict on a password, after the same work whoever it is for.
    ///
    /// - Parameter forms: Of the password, the prepared one first.
    private func evidence(
        _ forms: [[UInt8]],
        _ account: AccountReference?
    ) throws(ProviderFault) -> Result<Evidence, Refusal> {
        let record = try vault.record(key: account.map { Self.key(of: $0.id) } ?? Self.key(of: .random()))
        let stored = try record.flatMap { (record) throws(ProviderFault) in try hasher.stored(record.payload) }
        let match = try hasher.match(forms, stored ?? decoy)
        guard let record else {
            return .failure(Refusal(.credentialRejected, "no such account, or none with a password"))
        }
        guard let stored else {
            return .failure(Refusal(.credentialRejected, "the stored hash can't be used: damaged, or too costly"))
        }
        guard let match else {
            // A hash that isn't of today's cost is checked sooner than a decoy: make up for it.
            if !stored.isCurrent { _ = try hasher.match(forms, decoy) }
            return .failure(Refusal(.credentialRejected, "wrong password"))
        }
        return .success(
            Evidence(
                account: record.account,
                credential: record.id,
                proof: Self.proof,
                change: stored.isCurrent || !stored.hash.covers(match) ? nil : try rehashed(forms[0], record)
            )
        )
    }

    /// The hash at today's cost; sign-in doesn't depend on it.
    private func rehashed(
        _ password: [UInt8],
        _ record: CredentialRecord
    ) throws(ProviderFault) -> CredentialChange {
        let payload = Array(try hasher.hash(password).utf8)
        return CredentialChange(payload: payload, version: record.version, isEssential: false)
    }
}

extension Result<Evidence, Refusal> {
    fileprivate var evidence: Evidence {
        get throws(SignInError) {
            switch self {
            case .success(let evidence): return evidence
            case .failure(let refusal): throw .refused(refusal)
            }
        }
    }
}
