import GatehouseKit
import Synchronization
import Wire

/// Sign-in with a word, which is stored as it is: a password without the work.
struct WordProvider: OfferingProvider, SecretSettingProvider, ImportingProvider, BasicSchemeProvider {
    let kind = CredentialKind("password")
    let vault: any CredentialVault
    /// Runs once, after the next word was checked and before that is committed.
    let meanwhile = Meanwhile()
    private let counter = Counter()

    private final class Counter: Sendable { let count = Atomic<Int>(0) }

    /// How often a word was checked.
    var checks: Int { counter.count.load(ordering: .relaxed) }

    struct Credential: Decodable, Sendable {
        let identifier: String
        let word: String
    }

    struct Offer: Encodable, Sendable {}

    func claimedIdentifier(_ credential: Credential) -> Identifier? { .claimed(credential.identifier) }

    func offer(to visitor: Visitor, ceremony: borrowing Ceremony) throws(ProviderFault) -> Offer? { Offer() }

    func verify(_ credential: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence {
        try verify(Secret(credential.word), named: credential.identifier)
    }

    func verify(_ secret: Secret, named identifier: String) throws(SignInError) -> Evidence {
        counter.count.add(1, ordering: .relaxed)
        defer { meanwhile.run() }
        let record: CredentialRecord?
        do throws(ProviderFault) {
            guard let account = try vault.account(named: .claimed(identifier)) else {
                throw ProviderFault("none", code: 404)
            }
            record = try vault.record(key: Array(account.id.text.utf8))
        } catch {
            guard error.code == 404 else { throw .unavailable(error) }
            throw .refused(Refusal(.credentialRejected, "unknown"))
        }
        guard let record, record.payload == Array((secret.text ?? "").utf8) else {
            throw .refused(Refusal(.credentialRejected, "wrong"))
        }
        return Evidence(account: record.account, credential: record.id, proof: Proof(factors: .knowledge))
    }

    func check(_ secret: Secret, of account: AccountReference) throws(SignInError) {
        let record: CredentialRecord?
        do throws(ProviderFault) { record = try vault.record(key: Array(account.id.text.utf8)) } catch {
            throw .unavailable(error)
        }
        guard let record, record.payload == Array((secret.text ?? "").utf8) else {
            throw .refused(Refusal(.credentialRejected, "wrong"))
        }
    }

    func credential(settingTo secret: Secret, of account: AccountReference) throws(SignInError) -> NewCredential {
        Self.credential(secret.text ?? "", of: account)
    }

    func credential(importing stored: String, of account: AccountReference) throws(Refusal) -> NewCredential {
        guard stored.hasPrefix("word:") else { throw Refusal(.invalidValue, "no word") }
        return Self.credential(String(stored.dropFirst(5)), of: account)
    }

    static func credential(_ word: String, of account: AccountReference) -> NewCredential {
        let key = Array(account.id.text.utf8)
        return NewCredential(
            key: key,
            payload: Array(word.utf8),
            name: nil,
            proof: Proof(factors: .knowledge),
            slot: key
        )
    }
}

/// Sign-in with a numbered badge: a second factor with a counter.
struct BadgeProvider: EnrollingProvider {
    let kind = CredentialKind("passkey")
    let collection = CredentialCollection(
        path: "badges",
        listName: "badges",
        memberName: "badge",
        removalNeedsFreshSession: true,
        allowsSignup: true
    )
    let vault: any CredentialVault

    struct Credential: Decodable, Sendable { let word: String }
    struct Request: Decodable, Sendable {}
    struct Options: Encodable, Sendable { let hello: String }
    struct Registration: Decodable, Sendable { let number: String }
    struct Summary: Encodable, Sendable { let id: String }

    static let proof = Proof(factors: [.possession, .inherence], phishingResistant: true, userVerified: true)

    /// Runs once, after the next badge was checked and before that is committed.
    let meanwhile = Meanwhile()

    /// A number, or one with a sign of a copy behind it: `7?` is taken all the same, `7!` is refused.
    func verify(_ credential: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence {
        defer { meanwhile.run() }
        let number = credential.word.filter { $0 != "?" && $0 != "!" }
        let record: CredentialRecord?
        do throws(ProviderFault) { record = try vault.record(key: Array(number.utf8)) } catch {
            throw .unavailable(error)
        }
        guard let record else { throw .refused(Self.unknown(number)) }
        let change = CredentialChange(payload: record.payload + [1], version: record.version, isEssential: true)
        guard !credential.word.hasSuffix("!") else {
            let finding = CredentialFinding(
                account: record.account,
                credential: record.id,
                anomaly: .counterRegressed,
                change: change
            )
            throw .refused(Refusal(.counterRegressed, "a copy", finding: finding))
        }
        return Evidence(
            account: record.account,
            credential: record.id,
            proof: Self.proof,
            change: change,
            anomalies: credential.word.hasSuffix("?") ? [.counterRegressed] : []
        )
    }

    static func unknown(_ number: String) -> Refusal {
        Refusal(
            .credentialUnknown,
            "no such badge",
            remedy: .unknownCredential(id: Base64URL(bytes: Array(number.utf8)))
        )
    }

    func beginEnrollment(
        _ request: Request,
        of account: AccountReference,
        existing: [CredentialRecord],
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> EnrollmentStart<Options> {
        EnrollmentStart(options: Options(hello: account.username), memo: [42])
    }

    /// A number, or `8<7` for a badge 8 in place of a badge 7.
    func finishEnrollment(
        _ registration: Registration,
        of account: AccountReference,
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> NewCredential {
        guard ceremony.memo == [42], registration.number != "bad" else {
            throw .refused(Refusal(.signatureInvalid, "a bad badge"))
        }
        let numbers = registration.number.split(separator: "<").map { Array($0.utf8) }
        let former: CredentialRecord?
        do throws(ProviderFault) { former = numbers.count > 1 ? try vault.record(key: numbers[1]) : nil } catch {
            throw .unavailable(error)
        }
        defer { meanwhile.run() }
        return NewCredential(
            key: numbers.first ?? [],
            payload: [],
            name: nil,
            proof: Self.proof,
            replaces: former?.id
        )
    }

    func summary(of record: CredentialRecord, isCurrent: Bool) throws(ProviderFault) -> Summary {
        Summary(id: record.id.text)
    }
}

/// What happens in between, set by a test.
final class Meanwhile: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    func set(_ action: @escaping @Sendable () -> Void) { self.action.withLock { $0 = action } }

    fileprivate func run() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
