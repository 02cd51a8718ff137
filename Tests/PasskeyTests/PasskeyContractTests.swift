import GatehouseKit
import GatehouseTesting
import PasskeyProvider
import Testing

struct PasskeyContractTests {
    typealias Contract = ProviderContract<PasskeyProvider>

    let site = PasskeySite()
    let authenticator = SoftAuthenticator()

    static let sealed = [
        SealedMember("response.id", "response.rawId"), SealedMember("response.response.clientDataJSON"),
        SealedMember("response.response.authenticatorData"),
        SealedMember("response.response.signature", isSecret: true),
        SealedMember("response.response.userHandle", isSecret: true),
    ]

    init() throws {
        try site.enrol(authenticator, for: site.alice)
    }

    private func contract(in draft: CeremonyDraft) throws -> Contract {
        Contract(
            site.provider,
            vault: site.vault,
            good: Contract.Attempt("good", try site.answer(of: authenticator, in: draft), in: draft),
            sealed: Self.sealed
        )
    }

    /// Everything that can be wrong in a ceremony with a name.
    private func wrong() throws -> [Contract.Attempt] {
        let stranger = SoftAuthenticator()
        try site.enrol(stranger, for: site.bob)
        let badSignature = Alterations { $0.signature = { $0[$0.count - 1] ^= 1 } }
        let alice = CeremonyDraft.named("alice")
        let nobody = CeremonyDraft.named("nobody")
        let unknown = Alterations {
            $0.assertion = { answer in
                answer.id = "AAAA"
                answer.rawId = "AAAA"
                answer.response.userHandle = nil
            }
        }
        return [
            Contract.Attempt(
                "bad signature",
                try site.answer(of: authenticator, in: alice, altering: badSignature),
                in: alice
            ),
            Contract.Attempt("foreign", try site.answer(of: stranger, in: alice, ignoringList: true), in: alice),
            Contract.Attempt(
                "unknown",
                try site.answer(of: stranger, in: alice, ignoringList: true, altering: unknown),
                in: alice
            ),
            Contract.Attempt("no such name", try site.answer(of: stranger, in: nobody, ignoringList: true), in: nobody),
        ]
    }

    @Test func `under a name, unknown and wrong are told the same`() throws {
        #expect(try contract(in: .named("alice")).toldApart(wrong()) == [])
    }

    @Test func `an altered response is refused`() throws {
        #expect(try contract(in: CeremonyDraft()).acceptedAlterations() == [])
    }

    @Test func `an altered response is refused under a name`() throws {
        #expect(try contract(in: .named("alice")).acceptedAlterations() == [])
    }

    @Test(arguments: [CeremonyDraft(), .named("alice")])
    func `a failing vault is an outage`(draft: CeremonyDraft) throws {
        let contract = try contract(in: draft)
        #expect(try contract.misreportedOutages(in: wrong()) == [])
        #expect(try contract.misreportedOutages(inOffersFor: [draft, .named("nobody"), .of(site.alice)]) == [])
    }

    @Test func `no error holds what was signed`() throws {
        #expect(try contract(in: CeremonyDraft()).leaks(in: wrong()) == [])
    }

    @Test func `names without passkeys are offered what names with passkeys are`() throws {
        try site.enrol(SoftAuthenticator.with { $0.credentialIDLength = 20 }, for: site.bob)
        let unknown = (0..<40).map { CeremonyDraft.named("nobody\($0)") }
        let contract = try contract(in: CeremonyDraft())
        #expect(try contract.offersToldApart(known: [.named("alice"), .named("bob")], unknown: unknown) == [])
    }
}
