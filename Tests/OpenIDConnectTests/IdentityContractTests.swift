import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import Testing

@testable import OpenIDConnectProvider

struct IdentityContractTests {
    typealias Contract = ProviderContract<OpenIDConnectProvider>

    let site = TokenSite()
    let draft = CeremonyDraft()
    let contract: Contract
    let unknown: Contract.Attempt
    let wrong: Contract.Attempt

    init() throws {
        let (site, draft) = (site, draft)
        try site.link(site.alice)
        func attempt(_ name: String, _ change: (inout JSONValue) -> Void = { _ in }) throws -> Contract.Attempt {
            Contract.Attempt(name, TokenSite.credential(try site.token(draft, change)), in: draft)
        }
        unknown = try attempt("unknown") { $0["sub"] = .string("001.stranger") }
        wrong = try attempt("late") { $0["exp"] = .number(1) }
        contract = Contract(
            site.provider,
            vault: site.vault,
            good: try attempt("good"),
            sealed: [SealedMember("identityToken", encoding: .text, isSecret: true)]
        )
    }

    @Test func `an altered token is refused`() throws {
        #expect(try contract.acceptedAlterations() == [])
    }

    @Test func `a failing vault is an outage`() throws {
        #expect(contract.misreportedOutages(in: [unknown]) == [])
        #expect(try contract.misreportedOutages(inOffersFor: [draft]) == [])
    }

    @Test func `no error holds the token`() {
        #expect(contract.leaks(in: [unknown, wrong]) == [])
    }

    @Test func `the offer is the same for everybody`() throws {
        let known = CeremonyDraft.named("alice")
        #expect(try contract.offersToldApart(known: [known, draft], unknown: [.named("nobody"), draft]) == [])
        let offer = try JSONValue(parsing: try #require(try contract.offer(in: draft)))
        #expect(offer["nonce"]?.string == TokenSite.nonce(of: draft))
        #expect(offer["clientIds"] == .array([.string(TokenSite.clientID), .string("com.example.web")]))
    }

    @Test func `an unlinked subject is told so`() throws {
        let token = try site.token(draft) { $0["sub"] = .string("001.stranger") }
        #expect(try refusal { _ = try site.verify(token, in: draft) } == .credentialUnknown)
    }

    @Test func `a subject proves its own account and no other`() throws {
        let ofAlice = CeremonyDraft.of(site.alice)
        let ofBob = CeremonyDraft.of(site.bob)
        #expect(try site.verify(site.token(ofAlice), in: ofAlice).account == site.alice.id)
        #expect(try refusal { _ = try site.verify(site.token(ofBob), in: ofBob) } == .ceremonyAccountMismatch)
        let named = CeremonyDraft.named("bob")
        #expect(try refusal { _ = try site.verify(site.token(named), in: named) } == .credentialRejected)
        let nobody = CeremonyDraft.named("nobody")
        #expect(try refusal { _ = try site.verify(site.token(nobody), in: nobody) } == .credentialRejected)
    }

    @Test func `a removed identity signs in no more`() throws {
        for record in site.vault.records { site.vault.remove(record.id) }
        #expect(try refusal { _ = try site.verify(site.token(draft), in: draft) } == .credentialUnknown)
    }

    @Test func `only tokens whose key is not at hand keep somebody waiting`() throws {
        func lane(_ token: String) throws -> WorkLane {
            let json = try TokenSite.credential(token).encoded
            return site.provider.lane(for: try JSONDecoder().decode(OpenIDConnectProvider.Credential.self, from: json))
        }
        #expect(try lane(site.token(draft)) == .compute)
        #expect(try lane(site.token(draft, header: ["kid": .string("key-2")])) == .network)
        #expect(try lane("x") == .compute)
    }
}
