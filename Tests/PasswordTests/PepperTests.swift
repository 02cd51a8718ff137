import GatehouseKit
import GatehouseTesting
import Testing

@testable import PasswordProvider

struct PepperTests {
    private static let cost = HashCost(memoryKiB: 64, passes: 1)
    private static let password = "correct horse battery"
    private let vault = MemoryVault()
    private let alice: AccountReference
    private let old: Pepper
    private let new: Pepper

    init() throws {
        alice = vault.addAccount("alice")
        old = try #require(Pepper(key: Secret(String(repeating: "o", count: 32))))
        new = try #require(Pepper(key: Secret(String(repeating: "n", count: 32))))
    }

    private func provider(_ peppers: [Pepper]) -> PasswordProvider {
        PasswordProvider(vault: vault, hasher: PasswordHasher(cost: Self.cost, peppers: peppers))
    }

    private func store(_ payload: [UInt8]) {
        let key = Array(alice.id.text.utf8)
        vault.store(
            NewCredential(key: key, payload: payload, name: nil, proof: Proof(factors: .knowledge), slot: key),
            of: alice
        )
    }

    private func signIn(_ peppers: [Pepper], _ password: String = password) throws -> Evidence {
        let credential = PasswordProvider.Credential(identifier: "alice", password: Secret(password))
        return try provider(peppers).verify(credential, ceremony: CeremonyDraft.named("alice").ceremony)
    }

    @Test func `a hash made with a pepper is good with it, and not without`() throws {
        store(try provider([new]).credential(settingTo: Secret(Self.password), of: alice).payload)
        #expect(try signIn([new]).change == nil)
        #expect(throws: SignInError.self) { try signIn([new], "correct horse batterx") }
        // The same hash, for one who has the database alone.
        let stored = try #require(try vault.record(key: Array(alice.id.text.utf8)))
        let bare = Pepper.split(String(decoding: stored.payload, as: UTF8.self)).hash
        #expect(try !Argon2.verify(Array(Self.password.utf8), matches: bare))
    }

    @Test func `a password goes over to the new pepper when its owner signs in`() throws {
        store(try provider([old]).credential(settingTo: Secret(Self.password), of: alice).payload)
        store(try #require(try signIn([new, old]).change).payload)
        #expect(try signIn([new]).change == nil)
    }

    @Test func `a password from before the pepper gets it at sign-in`() throws {
        store(try provider([]).credential(settingTo: Secret(Self.password), of: alice).payload)
        store(try #require(try signIn([new]).change).payload)
        #expect(try signIn([new]).change == nil)
    }

    @Test func `a pepper that is gone is an outage and no wrong password`() throws {
        store(try provider([old]).credential(settingTo: Secret(Self.password), of: alice).payload)
        #expect(try signIn([old]).account == alice.id)
        #expect {
            try signIn([new])
        } throws: { error in
            if case SignInError.unavailable(let fault) = error { fault.kind == .dependency } else { false }
        }
    }

    @Test func `a key of less than 32 bytes is none`() {
        #expect(Pepper(key: Secret(String(repeating: "k", count: 31))) == nil)
    }

    @Test func `nobody imports a hash that names a pepper`() throws {
        let stored = try provider([new]).credential(settingTo: Secret(Self.password), of: alice).payload
        #expect(throws: Refusal.self) {
            try provider([new]).credential(importing: String(decoding: stored, as: UTF8.self), of: alice)
        }
    }
}
