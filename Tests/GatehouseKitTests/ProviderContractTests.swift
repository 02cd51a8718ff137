import GatehouseKit
import GatehouseTesting
import Testing

/// That the contract for providers finds what it looks for.
struct ProviderContractTests {
    private func contract(_ fault: SloppyProvider.Fault?) -> ProviderContract<SloppyProvider> {
        let vault = MemoryVault()
        let alice = vault.addAccount("alice")
        vault.store(
            NewCredential(
                key: Array("alice".utf8),
                payload: Array("secret".utf8),
                name: nil,
                proof: Proof(factors: .knowledge)
            ),
            of: alice
        )
        return ProviderContract(
            SloppyProvider(vault: vault, fault: fault),
            vault: vault,
            good: attempt("alice", "secret"),
            sealed: [SealedMember("word", encoding: .text, isSecret: true)],
            logged: { fault == .logs ? ["word=secret"] : [] }
        )
    }

    private func attempt(_ name: String, _ word: String) -> ProviderContract<SloppyProvider>.Attempt {
        .init("\(word) of \(name)", .object(["name": .string(name), "word": .string(word)]), in: .named(name))
    }

    private func breaches(of fault: SloppyProvider.Fault?) throws -> [String] {
        let contract = contract(fault)
        let wrong = [attempt("alice", "secrets"), attempt("nobody", "secret")]
        return contract.toldApart(wrong) + (try contract.acceptedAlterations())
            + contract.misreportedOutages(in: wrong) + contract.leaks(in: wrong)
            + (try contract.offersToldApart(known: [.named("alice")], unknown: [.named("nobody")]))
            + (try contract.misreportedOutages(inOffersFor: [.named("alice")]))
    }

    @Test func `a careful provider keeps it`() throws {
        #expect(try breaches(of: nil) == [])
    }

    @Test(arguments: SloppyProvider.Fault.allCases)
    func `a provider with one fault breaks it`(fault: SloppyProvider.Fault) throws {
        #expect(try !breaches(of: fault).isEmpty)
    }
}

/// Takes a name and a word, and may have one fault.
struct SloppyProvider: OfferingProvider {
    enum Fault: CaseIterable { case tellsNames, skipsLastByte, refusesInOutages, offersMore, logs, asksLess }

    let kind = CredentialKind("sloppy")
    let vault: MemoryVault
    let fault: Fault?

    struct Credential: Decodable, Sendable {
        let name: String
        let word: String
    }

    struct Offer: Encodable, Sendable { let hints: [String] }

    func offer(to visitor: Visitor, ceremony: borrowing Ceremony) throws(ProviderFault) -> Offer? {
        if fault == .asksLess, visitor.identifier == .claimed("nobody") { return Offer(hints: ["x"]) }
        let isKnown = try vault.account(named: visitor.identifier ?? .claimed("")) != nil
        return Offer(hints: fault == .offersMore && isKnown ? ["x", "y"] : ["x"])
    }

    func verify(_ credential: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence {
        let record: CredentialRecord?
        do throws(ProviderFault) { record = try vault.record(key: Array(credential.name.utf8)) } catch {
            throw fault == .refusesInOutages ? .refused(Refusal(.credentialRejected, "oops")) : .unavailable(error)
        }
        let length = fault == .skipsLastByte ? 5 : 1_000
        guard let record else {
            throw .refused(Refusal(fault == .tellsNames ? .credentialUnknown : .credentialRejected, "no such name"))
        }
        guard Array(record.payload.prefix(length)) == Array(Array(credential.word.utf8).prefix(length)) else {
            throw .refused(Refusal(.credentialRejected, "wrong word"))
        }
        return Evidence(account: record.account, credential: record.id, proof: Proof(factors: .knowledge))
    }
}
