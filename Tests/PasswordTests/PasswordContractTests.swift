import GatehouseKit
import GatehouseTesting
import PasswordProvider
import Testing

struct PasswordContractTests {
    typealias Contract = ProviderContract<PasswordProvider>

    let contract: Contract
    let wrong: [Contract.Attempt]

    init() throws {
        let vault = MemoryVault()
        let cost = HashCost(memoryKiB: 64, passes: 1)
        let provider = PasswordProvider(vault: vault, hasher: PasswordHasher(cost: cost))
        let alice = vault.addAccount("alice")
        _ = vault.addAccount("bob")
        vault.store(try provider.credential(settingTo: Secret("correct horse battery"), of: alice), of: alice)
        contract = Contract(
            provider,
            vault: vault,
            good: Self.attempt("alice", "correct horse battery"),
            sealed: [SealedMember("password", encoding: .text, isSecret: true)]
        )
        wrong = [
            Self.attempt("alice", "correct horse bakery"), Self.attempt("bob", "correct horse battery"),
            Self.attempt("nobody", "correct horse battery"), Self.attempt("no body", "correct horse battery"),
        ]
    }

    private static func attempt(_ name: String, _ password: String) -> Contract.Attempt {
        let credential = JSONValue.object([
            "kind": .string("password"), "identifier": .string(name), "password": .string(password),
        ])
        return Contract.Attempt("\(password) of \(name)", credential, in: .named(name))
    }

    @Test func `a wrong password, an account without one and an unknown name are told the same`() {
        #expect(contract.toldApart(wrong) == [])
    }

    @Test func `an altered password is refused`() throws {
        #expect(try contract.acceptedAlterations() == [])
    }

    @Test func `a failing vault is an outage`() {
        #expect(contract.misreportedOutages(in: wrong) == [])
    }

    @Test func `no error holds the password`() {
        #expect(contract.leaks(in: wrong) == [])
    }

    @Test func `a name that nobody has is offered the same`() throws {
        #expect(try contract.offersToldApart(known: [.named("alice")], unknown: [.named("nobody")]) == [])
    }
}
