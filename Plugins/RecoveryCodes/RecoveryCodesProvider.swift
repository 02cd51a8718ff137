import Crypto
public import GatehouseKit

extension CredentialKind {
    public static let recoveryCode = CredentialKind("recovery-code")
}

/// Getting back in with a code from a printed list, each good for one time.
///
/// An account has one list; a new one takes its place.
public struct RecoveryCodesProvider: OfferingProvider {
    public let kind = CredentialKind.recoveryCode
    public static let purpose = CredentialPurpose.recovery

    private let vault: any CredentialVault
    private let count: Int
    /// What is searched where there is no list, so that the search costs the same; its codes are known to nobody.
    private let decoy: [UInt8]

    /// - Parameter count: How many codes a new list has, 1 to 255.
    public init(vault: any CredentialVault, count: Int) {
        self.vault = vault
        self.count = count
        decoy = RecoveryCodeList(of: Self.newCodes(count)).encoded
    }

    /// `{"kind": "recovery-code", "identifier": "lee", "code": "0AB1-…"}` in a sign-in request.
    public struct Credential: Decodable, Sendable {
        let identifier: String
        let code: Secret
    }

    /// Nothing: it stands in the combined request without members.
    public struct Offer: Encodable, Sendable {}

    public func claimedIdentifier(_ credential: Credential) -> Identifier? { .claimed(credential.identifier) }

    public func offer(to visitor: Visitor, ceremony: borrowing Ceremony) throws(ProviderFault) -> Offer? {
        visitor.steppingUp == nil ? Offer() : nil
    }

    public func verify(_ credential: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence {
        let record: CredentialRecord?
        let list: RecoveryCodeList
        do throws(ProviderFault) {
            // Without an account the records of none are read, and without a list the decoy is searched.
            let account = try vault.account(named: .claimed(credential.identifier))
            record = try vault.records(of: account?.id ?? .random()).first
            list = try Self.list(in: record?.payload ?? decoy)
        } catch { throw .unavailable(error) }
        let place = list.place(of: RecoveryCode(typed: credential.code))
        guard let record, let place else { throw .refused(Refusal(.credentialRejected, "no such recovery code")) }
        guard !list.isUsed(at: place) else {
            throw .refused(Refusal(.credentialRejected, "the recovery code was used before"))
        }
        return Evidence(
            account: record.account,
            credential: record.id,
            proof: Self.proof,
            change: CredentialChange(payload: list.using(place).encoded, version: record.version, isEssential: true)
        )
    }

    public func canSignIn(with record: CredentialRecord) -> Bool {
        (RecoveryCodeList(record.payload)?.remaining ?? 0) > 0
    }

    /// A list on paper is a thing one has (NIST SP 800-63B-4 §3.1.2); a page that looks like ours can ask for it.
    private static let proof = Proof(factors: .possession)

    private static func newCodes(_ count: Int) -> [RecoveryCode] { (0..<count).map { _ in .random() } }

    private static func list(in payload: [UInt8]) throws(ProviderFault) -> RecoveryCodeList {
        guard let list = RecoveryCodeList(payload) else {
            throw ProviderFault("read recovery codes", code: 0, kind: .storage)
        }
        return list
    }
}

// MARK: - Enrolment

extension RecoveryCodesProvider: EnrollingProvider {
    public var collection: CredentialCollection {
        CredentialCollection(
            path: "recovery-codes",
            listName: "recoveryCodes",
            memberName: "recoveryCodes",
            removalNeedsFreshSession: true,
            allowsSignup: false
        )
    }

    public struct Request: Decodable, Sendable {}

    /// The only time that the codes leave us.
    public struct Options: Encodable, Sendable {
        let codes: [String]
    }

    /// One of the codes, to show that the list was kept.
    ///
    /// Showing isn't using: it stays good.
    public struct Registration: Decodable, Sendable {
        let code: Secret
    }

    public struct Summary: Encodable, Sendable {
        let id: String
        let createdAt: Timestamp
        let remaining: Int
        let total: Int
    }

    public func beginEnrollment(
        _ request: Request,
        of account: AccountReference,
        existing: [CredentialRecord],
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> EnrollmentStart<Options> {
        let codes = Self.newCodes(count)
        return EnrollmentStart(
            options: Options(codes: codes.map(\.text)),
            memo: RecoveryCodeList(of: codes).encoded,
            replaces: existing.map(\.id)
        )
    }

    public func finishEnrollment(
        _ registration: Registration,
        of account: AccountReference,
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> NewCredential {
        let list: RecoveryCodeList
        do throws(ProviderFault) { list = try Self.list(in: ceremony.memo) } catch { throw .unavailable(error) }
        guard list.place(of: RecoveryCode(typed: registration.code)) != nil else {
            throw .refused(Refusal(.credentialRejected, "not one of the new recovery codes"))
        }
        let owner = Array(account.id.text.utf8)
        return NewCredential(key: owner, payload: list.encoded, name: nil, proof: Self.proof, slot: owner)
    }

    public func summary(of record: CredentialRecord, isCurrent: Bool) throws(ProviderFault) -> Summary {
        let list = try Self.list(in: record.payload)
        return Summary(id: record.id.text, createdAt: record.createdAt, remaining: list.remaining, total: list.total)
    }
}
