import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Storage
import Testing

struct RecordTests {
    let folder = TemporaryFolder()

    private func opened() throws -> SQLiteStorage { try SQLiteStorage(command: folder.database) }

    private func credential(of account: AccountID, key: [UInt8], slot: [UInt8]? = nil) -> StoredCredential {
        .enrolled(
            NewCredential(
                key: key,
                payload: [0, 1, 0],
                name: "Key\u{0}",
                proof: Proof(factors: .possession, userVerified: true),
                slot: slot,
                remnant: [8, 0]
            ),
            kind: .passkey,
            of: account,
            at: Timestamp(milliseconds: 5),
            settlesAt: Timestamp(milliseconds: 6)
        )
    }

    @Test func `a mail address is known in whatever case`() throws {
        let storage = try opened()
        let profile = try AccountProfile(username: "lee", email: "Lee@Example.test")
        let lee = Account(
            id: .random(),
            identifier: profile.identifier,
            username: profile.username,
            displayName: profile.displayName,
            email: profile.email,
            userHandle: [1],
            groups: [],
            createdAt: Timestamp(milliseconds: 1)
        )
        #expect(try storage.write { try $0.insert(lee) })
        try storage.read { (reader) throws(ProviderFault) in
            #expect(try reader.hasAccount(email: "lEE@example.TEST"))
            #expect(try !reader.hasAccount(email: "lee@example.tes"))
        }
        storage.stop()
    }

    @Test func `an account is found by each of its names`() throws {
        let storage = try opened()
        let lee = try Account.named("Lee")
        #expect(try storage.write { try $0.insert(lee) })
        try storage.read { (reader) throws(ProviderFault) in
            #expect(try reader.account(lee.id) == lee)
            #expect(try reader.account(named: Identifier.claimed("LEE")) == lee)
            #expect(try reader.account(userHandle: lee.userHandle) == lee)
            #expect(try reader.account(named: Identifier.claimed("lea")) == nil)
        }
        storage.stop()
    }

    @Test func `a name is taken once`() throws {
        let storage = try opened()
        let outcomes = try (0..<20).map { try Account.named($0.isMultiple(of: 2) ? "Lee" : "lee") }
        let inserted = race(20) { index in (try? storage.write { try $0.insert(outcomes[index]) }) ?? false }
        #expect(inserted.count { $0 } == 1)
        storage.stop()
    }

    @Test func `a credential is read back, changed at its version only, and unique by its key`() throws {
        let storage = try opened()
        let lee = try Account.named("lee")
        let key = credential(of: lee.id, key: [1, 2, 0])
        try storage.write { writer in
            _ = try writer.insert(lee)
            #expect(try writer.insert(key))
            #expect(try !writer.insert(credential(of: lee.id, key: [1, 2, 0])))
            let change = CredentialChange(payload: [9], version: 0, isEssential: true)
            #expect(try writer.apply(change, to: key.id))
            #expect(try !writer.apply(change, to: key.id))
            #expect(try writer.markUsed(key.id, at: Timestamp(milliseconds: 7), userVerified: false))
        }
        let found = try storage.read { (reader) throws(ProviderFault) in
            try reader.credential(kind: .passkey, key: [1, 2, 0])
        }
        #expect(found?.record.payload == [9])
        #expect(found?.record.version == 1)
        #expect(found?.record.name == "Key\u{0}")
        #expect(found?.record.lastUsedAt == Timestamp(milliseconds: 7))
        #expect(found?.userVerified == true)
        storage.stop()
    }

    @Test func `deleting an account leaves no row of it`() throws {
        let storage = try opened()
        let lee = try Account.named("lee")
        let key = credential(of: lee.id, key: [1], slot: [2])
        try storage.write { writer in
            _ = try writer.insert(lee)
            _ = try writer.insert(key)
            #expect(try writer.delete(lee.id))
        }
        try storage.read { (reader) throws(ProviderFault) in
            #expect(try reader.credential(key.id) == nil)
            #expect(try reader.credentials(of: lee.id).isEmpty)
        }
        storage.stop()
    }

    @Test func `whoever takes a slot puts out who had it`() throws {
        let storage = try opened()
        let lee = try Account.named("lee")
        let old = credential(of: lee.id, key: [1], slot: [7])
        try storage.write { writer in
            _ = try writer.insert(lee)
            _ = try writer.insert(old)
            #expect(try !writer.insert(credential(of: lee.id, key: [2], slot: [7])))
            #expect(try writer.deleteCredentials(of: .passkey, in: [7]) == [old])
            #expect(try writer.insert(credential(of: lee.id, key: [2], slot: [7])))
        }
        storage.stop()
    }

    @Test func `a link is used once, and not after its time`() throws {
        let storage = try opened()
        let now = Timestamp(milliseconds: 1_000)
        let token = SessionToken.random()
        let link = StoredLink(digest: token.digest, purpose: .setup, account: nil, expiresAt: now + .minutes(1))
        try storage.write { try $0.insert(link) }
        #expect(try !storage.write { try $0.consumeLink(digest: link.digest, at: link.expiresAt) })
        let used = race(20) { _ in (try? storage.write { try $0.consumeLink(digest: link.digest, at: now) }) ?? false }
        #expect(used.count { $0 } == 1)
        storage.stop()
    }

    @Test func `a setting that is made once stays`() throws {
        let storage = try opened()
        #expect(try storage.write { try $0.insert([1], for: .setupDone) })
        #expect(try !storage.write { try $0.insert([2], for: .setupDone) })
        #expect(try storage.read { (reader) throws(ProviderFault) in try reader.setting(.setupDone) } == [1])
        storage.stop()
    }
}
