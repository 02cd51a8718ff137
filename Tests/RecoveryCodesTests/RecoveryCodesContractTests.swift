import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import Testing

@testable import RecoveryCodesProvider

struct RecoveryCodesContractTests {
    @Test func `it takes part in every sign-in and in no step-up`() throws {
        let list = try PrintedList()
        let contract = Self.contract(list, code: list.codes[0])
        #expect(try contract.offer(in: CeremonyDraft()) == Data("{}".utf8))
        #expect(try contract.offer(in: .named("lee")) == Data("{}".utf8))
        #expect(try contract.offer(in: .of(list.account)) == nil)
        #expect(try contract.offersToldApart(known: [.named("lee")], unknown: [.named("nobody")]) == [])
    }

    private static func credential(_ name: String, _ code: String) -> JSONValue {
        .object(["identifier": .string(name), "code": .string(code)])
    }

    private static func contract(_ list: PrintedList, code: String) -> ProviderContract<RecoveryCodesProvider> {
        ProviderContract(
            list.provider,
            vault: list.vault,
            good: .init("good", Self.credential("lee", code), in: .named("lee")),
            sealed: [SealedMember("code", encoding: .text, isSecret: true)]
        )
    }

    @Test func `the provider keeps the contract`() throws {
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
                Self.credential(account, code),
                in: .named(account)
            )
        }
        #expect(contract.toldApart(wrong) == [])
        #expect(try contract.acceptedAlterations() == [])
        #expect(contract.misreportedOutages(in: wrong) == [])
        #expect(contract.leaks(in: wrong.filter { $0.name != "no code" }) == [])
    }

    @Test func `unknown, without codes and wrong cost the same reads, and give one reason`() throws {
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
