import GatehouseKit
import GatehouseTesting

@testable import RecoveryCodesProvider

/// A list in a vault, with the codes that its owner printed.
struct PrintedList {
    let vault = MemoryVault()
    let provider: RecoveryCodesProvider
    let account: AccountReference
    let codes: [String]

    init() throws {
        provider = RecoveryCodesProvider(vault: vault, count: 10)
        account = vault.addAccount("lee")
        codes = try Self.enrol(with: provider, in: vault, account)
    }

    /// Makes a list, confirms it with its last code and stores it.
    @discardableResult
    static func enrol(
        with provider: RecoveryCodesProvider,
        in vault: MemoryVault,
        _ account: AccountReference
    ) throws -> [String] {
        let start = try begin(with: provider, account)
        let new = try provider.finishEnrollment(
            RecoveryCodesProvider.Registration(code: Secret(start.options.codes.last ?? "")),
            of: account,
            ceremony: CeremonyDraft.of(account).keeping(memo: start.memo).ceremony
        )
        vault.store(new, of: account)
        return start.options.codes
    }

    static func begin(
        with provider: RecoveryCodesProvider,
        _ account: AccountReference
    ) throws -> EnrollmentStart<RecoveryCodesProvider.Options> {
        try provider.beginEnrollment(
            RecoveryCodesProvider.Request(),
            of: account,
            existing: [],
            ceremony: CeremonyDraft.of(account).ceremony
        )
    }

    func verify(_ code: String, as name: String = "lee") throws -> Evidence {
        let credential = RecoveryCodesProvider.Credential(identifier: name, code: Secret(code))
        return try provider.verify(credential, ceremony: CeremonyDraft.named(name).ceremony)
    }

    func refusal(of code: String, as name: String = "lee") -> Refusal? {
        do { _ = try verify(code, as: name) } catch SignInError.refused(let refusal) { return refusal } catch {}
        return nil
    }

    func summary() throws -> JSONValue? {
        try vault.records.first.map { try JSONValue(encoding: provider.summary(of: $0, isCurrent: false)) }
    }
}
