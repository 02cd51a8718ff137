import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import Testing

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
            registration(start.options.codes.last ?? ""),
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
            try JSONDecoder().decode(RecoveryCodesProvider.Request.self, from: Data("{}".utf8)),
            of: account,
            existing: [],
            ceremony: CeremonyDraft.of(account).ceremony
        )
    }

    static func registration(_ code: String) throws -> RecoveryCodesProvider.Registration {
        let json = try JSONValue.object(["code": .string(code)]).encoded
        return try JSONDecoder().decode(RecoveryCodesProvider.Registration.self, from: json)
    }

    static func credential(_ name: String, _ code: String) -> JSONValue {
        .object(["identifier": .string(name), "code": .string(code)])
    }

    func verify(_ code: String, as name: String = "lee") throws -> Evidence {
        let json = try Self.credential(name, code).encoded
        let credential = try JSONDecoder().decode(RecoveryCodesProvider.Credential.self, from: json)
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

@Suite struct RecoveryCodesEnrolmentTests {
    @Test("ten codes are shown, and only what can't be read back is kept")
    func onlyDigestsAreKept() throws {
        let list = try PrintedList()
        #expect(list.codes.count == 10)
        #expect(list.codes.allSatisfy { $0.wholeMatch(of: /([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}/) != nil })
        let record = try #require(list.vault.records.first)
        let start = try PrintedList.begin(with: list.provider, list.account)
        let kept = [record.payload, record.key, start.memo].map { String(decoding: $0, as: Unicode.ASCII.self) }
        for code in list.codes + start.options.codes {
            let plain = code.replacing("-", with: "")
            #expect(kept.allSatisfy { !$0.contains(code) && !$0.contains(plain) })
        }
    }

    @Test("equal codes of two accounts don't show")
    func saltedApart() {
        let code = RecoveryCode(typed: Secret("0123456789012345"))
        let (one, other) = (RecoveryCodeList(of: [code]), RecoveryCodeList(of: [code]))
        #expect(one.encoded.suffix(32) != other.encoded.suffix(32))
        #expect(one.place(of: code) == 0 && other.place(of: code) == 0)
    }

    @Test("only who has one of the new codes stores them")
    func confirmation() throws {
        let list = try PrintedList()
        let start = try PrintedList.begin(with: list.provider, list.account)
        let draft = CeremonyDraft.of(list.account).keeping(memo: start.memo)
        for code in [list.codes[0], "", "7QK2-M0XD-9HTA-R4VW", String(start.options.codes[0].dropLast())] {
            #expect(throws: SignInError.refused(Refusal(.credentialRejected, "not one of the new recovery codes"))) {
                try list.provider.finishEnrollment(
                    try PrintedList.registration(code),
                    of: list.account,
                    ceremony: draft.ceremony
                )
            }
        }
        // Each of them will do.
        for code in start.options.codes {
            _ = try list.provider.finishEnrollment(
                try PrintedList.registration(code.lowercased()),
                of: list.account,
                ceremony: draft.ceremony
            )
        }
    }

    @Test("the code that confirmed the list is still good")
    func confirmingIsNotUsing() throws {
        let list = try PrintedList()
        #expect(try list.verify(list.codes[9]).account == list.account.id)
        #expect(try list.summary()?["remaining"] == .number(10))
    }

    @Test("a new list takes the place of the old one, and of no other account's")
    func replacement() throws {
        let list = try PrintedList()
        let other = list.vault.addAccount("kim")
        let others = try PrintedList.enrol(with: list.provider, in: list.vault, other)
        let codes = try PrintedList.enrol(with: list.provider, in: list.vault, list.account)
        #expect(list.vault.records.count == 2)
        #expect(list.refusal(of: list.codes[0])?.code == .credentialRejected)
        #expect(try list.verify(codes[0]).account == list.account.id)
        #expect(try list.verify(others[0], as: "kim").account == other.id)
        #expect(list.refusal(of: others[0])?.code == .credentialRejected)
    }

    @Test("the list counts what is left")
    func summary() throws {
        let list = try PrintedList()
        let record = try #require(list.vault.records.first)
        #expect(list.provider.canSignIn(with: record))
        for (used, code) in list.codes.enumerated() {
            #expect(
                try list.summary()
                    == .object([
                        "id": .string(record.id.text),
                        "createdAt": .string(record.createdAt.rfc3339),
                        "remaining": .number(Double(10 - used)),
                        "total": .number(10),
                    ])
            )
            #expect(list.vault.apply(try list.verify(code)))
        }
        #expect(try list.summary()?["remaining"] == .number(0))
        #expect(!list.provider.canSignIn(with: try #require(list.vault.records.first)))
    }
}

@Suite struct RecoveryCodesSignInTests {
    @Test("a code is taken as people type it", arguments: [" ", "", "-", "–", "  ", "\u{A0}", "\n"])
    func spellings(separator: String) throws {
        let list = try PrintedList()
        let grouped = list.codes[0].replacing("-", with: separator)
        let lookalikes = grouped.replacing("0", with: "O").replacing("1", with: "l")
        for typed in [grouped, grouped.lowercased(), lookalikes, lookalikes.lowercased(), lookalikes.uppercased()] {
            #expect(try list.verify(typed).account == list.account.id)
        }
        for typed in [grouped + "0", "0" + grouped, String(grouped.dropLast()), grouped + ".", grouped + "é"] {
            #expect(list.refusal(of: typed)?.code == .credentialRejected)
        }
    }

    @Test("a code is good once")
    func singleUse() throws {
        let list = try PrintedList()
        let evidence = try list.verify(list.codes[3])
        #expect(evidence.proof == Proof(factors: .possession))
        #expect(try #require(evidence.change).isEssential)
        #expect(list.vault.apply(evidence))
        #expect(list.refusal(of: list.codes[3])?.reason == "the recovery code was used before")
        // It stays used whatever is written after it.
        #expect(list.vault.apply(try list.verify(list.codes[4])))
        #expect(list.refusal(of: list.codes[3])?.code == .credentialRejected)
        #expect(list.refusal(of: list.codes[4])?.code == .credentialRejected)
        #expect(try list.verify(list.codes[5]).credential == evidence.credential)
    }

    @Test("of two that use a code at the same moment one is asked again, and refused")
    func race() throws {
        let list = try PrintedList()
        let (first, second) = (try list.verify(list.codes[0]), try list.verify(list.codes[0]))
        #expect(list.vault.apply(second))
        #expect(!list.vault.apply(first))
        #expect(list.refusal(of: list.codes[0])?.code == .credentialRejected)
        // Two different ones both succeed, the second when asked again.
        let (third, fourth) = (try list.verify(list.codes[1]), try list.verify(list.codes[2]))
        #expect(list.vault.apply(third))
        #expect(!list.vault.apply(fourth))
        #expect(list.vault.apply(try list.verify(list.codes[2])))
        #expect(try list.summary()?["remaining"] == .number(7))
    }

    @Test("a list that can't be read is an outage")
    func damaged() throws {
        let list = try PrintedList()
        let record = try #require(list.vault.records.first)
        for payload in Array(record.payload.truncations) + [record.payload + [0], [2] + record.payload.dropFirst()] {
            list.vault.replacePayload(of: record.id, with: payload)
            #expect(throws: SignInError.unavailable(ProviderFault("read recovery codes", code: 0, kind: .storage))) {
                try list.verify(list.codes[0])
            }
            #expect(!list.provider.canSignIn(with: try #require(list.vault.records.first)))
        }
        // Whatever bit turns, nothing stops the process.
        for payload in record.payload.bitFlips {
            list.vault.replacePayload(of: record.id, with: payload)
            _ = try? list.verify(list.codes[0])
        }
    }

    @Test("it takes part in every sign-in and in no step-up")
    func offers() throws {
        let list = try PrintedList()
        let contract = Self.contract(list, code: list.codes[0])
        #expect(try contract.offer(in: CeremonyDraft()) == Data("{}".utf8))
        #expect(try contract.offer(in: .named("lee")) == Data("{}".utf8))
        #expect(try contract.offer(in: .of(list.account)) == nil)
        #expect(try contract.offersToldApart(known: [.named("lee")], unknown: [.named("nobody")]) == [])
    }

    private static func contract(_ list: PrintedList, code: String) -> ProviderContract<RecoveryCodesProvider> {
        ProviderContract(
            list.provider,
            vault: list.vault,
            good: .init("good", PrintedList.credential("lee", code), in: .named("lee")),
            sealed: [SealedMember("code", encoding: .text, isSecret: true)]
        )
    }

    @Test("the provider keeps the contract")
    func contract() throws {
        let list = try PrintedList()
        // Digits only: letters may be in either case, and a bit makes white space of a hyphen.
        let code = "2739504861739582"
        let record = try #require(list.vault.records.first)
        let payload = RecoveryCodeList(of: [RecoveryCode(typed: Secret(code))]).encoded
        list.vault.replacePayload(of: record.id, with: payload)
        _ = list.vault.addAccount("kim")

        let contract = Self.contract(list, code: code)
        let wrong = [
            ("wrong", "lee", "2739504861739583"), ("unknown", "nobody", code), ("without codes", "kim", code),
            ("no name", "", code), ("no code", "lee", ""),
        ].map { name, account, code in
            ProviderContract<RecoveryCodesProvider>.Attempt(
                name,
                PrintedList.credential(account, code),
                in: .named(account)
            )
        }
        #expect(contract.toldApart(wrong) == [])
        #expect(try contract.acceptedAlterations() == [])
        #expect(contract.misreportedOutages(in: wrong) == [])
        #expect(contract.leaks(in: wrong.filter { $0.name != "no code" }) == [])
    }

    @Test("unknown, without codes and wrong cost the same reads, and give one reason")
    func cost() throws {
        let list = try PrintedList()
        _ = list.vault.addAccount("kim")
        let costs = [("lee", "wrong"), ("kim", list.codes[0]), ("nobody", list.codes[0])].map { name, code in
            let before = list.vault.reads
            let refusal = list.refusal(of: code, as: name)
            return "\(list.vault.reads - before) reads, \(String(describing: refusal))"
        }
        #expect(Set(costs).count == 1)
    }
}
