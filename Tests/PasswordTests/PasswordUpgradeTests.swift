import GatehouseKit
import GatehouseTesting
import Testing

@testable import PasswordProvider

/// What becomes of such a hash when its owner signs in.
struct PasswordUpgradeTests {
    private static let cost = HashCost(memoryKiB: 64, passes: 1)
    private let vault = MemoryVault()
    private let provider: PasswordProvider
    private let alice: AccountReference

    init() {
        provider = PasswordProvider(vault: vault, hasher: PasswordHasher(cost: Self.cost))
        alice = vault.addAccount("alice")
    }

    private func store(_ hash: String) {
        let key = Array(alice.id.text.utf8)
        let proof = Proof(factors: .knowledge)
        vault.store(NewCredential(key: key, payload: Array(hash.utf8), name: nil, proof: proof, slot: key), of: alice)
    }

    private func signIn(_ password: String) throws -> Evidence {
        let credential = PasswordProvider.Credential(identifier: "alice", password: Secret(password))
        return try provider.verify(credential, ceremony: CeremonyDraft.named("alice").ceremony)
    }

    private func isRefused(_ password: String) throws -> Bool {
        do {
            _ = try signIn(password)
            return false
        } catch SignInError.refused(let refusal) { return refusal.code == .credentialRejected }
    }

    @Test(arguments: KnownHashes.all)
    func `a right password gets a hash of ours, and only a right one`(text: String) throws {
        store(text)
        #expect(try isRefused("correct horse 43"))
        let change = try #require(try signIn(KnownHashes.password).change)
        let made = try #require(Argon2Hash(String(decoding: change.payload, as: UTF8.self)))
        #expect(made.isOurs(at: Self.cost))
        #expect(!change.isEssential)
        store(made.text)
        #expect(try signIn(KnownHashes.password).change == nil)
        #expect(try isRefused("correct horse 43"))
    }

    /// Made with bcrypt of 72 times the letter a.
    @Test func `what bcrypt cuts off never becomes a password`() throws {
        store("$2b$10$abcdefghijklmnopqrstuuiYfj.JCH/8Hff5KmeyaPABzfEqwvS.a")
        let full = String(repeating: "a", count: 72)
        #expect(try isRefused(String(full.dropLast())))
        #expect(try signIn(full + "Zq").change == nil)
        #expect(try signIn(full).change != nil)
    }

    @Test func `a password that others hashed as it was typed is found`() throws {
        // U+2126 is prepared as U+03A9, which is another text to whoever doesn't prepare.
        store(try Argon2.hash(Array("Ohm \u{2126} and more".utf8), cost: HashCost(memoryKiB: 64, passes: 2)))
        #expect(try isRefused("Ohm \u{03A9} and more"))
        let change = try #require(try signIn("Ohm \u{2126} and more").change)
        store(String(decoding: change.payload, as: UTF8.self))
        for spelling in ["\u{2126}", "\u{03A9}"] { #expect(try signIn("Ohm \(spelling) and more").change == nil) }
    }

    @Test(arguments: ["$2b$31$abcdefghijklmnopqrstuusx24v0/VgfTEBUEdik2QC5wMJlu01Gy", "plain", ""])
    func `a stored hash that can't be used is a wrong password`(text: String) throws {
        store(text)
        #expect(try isRefused("correct horse 42"))
        #expect(try isRefused("plain"))
    }
}
