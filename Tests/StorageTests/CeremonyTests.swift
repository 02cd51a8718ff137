import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Storage
import Testing

struct CeremonyTests {
    let folder = TemporaryFolder()

    @Test func `of many who use a ceremony at once, exactly one does`() throws {
        // Four files' worth of connections: the decision is the database's, not this process's.
        let storages = try (0..<4).map { _ in try SQLiteStorage(command: folder.database) }
        for _ in 0..<50 {
            let ceremony = StoredCeremony.signIn()
            try storages[0].write { try $0.insert(ceremony) }
            let wins = race(64) { index in
                (try? storages[index % 4].write { try $0.consume(ceremony.id, at: ceremony.begunAt) }) ?? false
            }
            #expect(wins.count { $0 } == 1)
        }
        storages.forEach { $0.stop() }
    }

    @Test func `attempts can't be exceeded by making them at once`() throws {
        let storage = try SQLiteStorage(command: folder.database)
        let ceremony = StoredCeremony.signIn()
        try storage.write { try $0.insert(ceremony) }
        let reserved = race(64) { _ in
            (try? storage.write { try $0.reserveAttempt(ceremony.id, limit: 5, at: ceremony.begunAt) }) ?? false
        }
        #expect(reserved.count { $0 } == 5)
        storage.stop()
    }

    @Test func `a failed attempt is kept and leaves the ceremony usable`() throws {
        let storage = try SQLiteStorage(command: folder.database)
        let ceremony = StoredCeremony.signIn()
        try storage.write { try $0.insert(ceremony) }
        #expect(try storage.write { try $0.reserveAttempt(ceremony.id, limit: 5, at: ceremony.begunAt) })
        #expect(throws: SignInError.refused(Refusal(.signatureInvalid, "test"))) {
            try storage.write { writer in
                #expect(try writer.consume(ceremony.id, at: ceremony.begunAt))
                throw Refusal(.signatureInvalid, "test")
            }
        }
        let kept = try storage.read { (reader) throws(ProviderFault) in try reader.ceremony(ceremony.id) }
        #expect(kept?.attempts == 1)
        #expect(kept?.isConsumed == false)
        #expect(try storage.write { try $0.consume(ceremony.id, at: ceremony.begunAt) })
        storage.stop()
    }

    @Test func `no attempt is left after the time or after use`() throws {
        let storage = try SQLiteStorage(command: folder.database)
        let ceremony = StoredCeremony.signIn()
        try storage.write { try $0.insert(ceremony) }
        #expect(try storage.write { try $0.reserveAttempt(ceremony.id, limit: 5, at: ceremony.begunAt) })
        #expect(try !storage.write { try $0.reserveAttempt(ceremony.id, limit: 5, at: ceremony.expiresAt) })
        #expect(try storage.write { try $0.consume(ceremony.id, at: ceremony.begunAt) })
        #expect(try !storage.write { try $0.reserveAttempt(ceremony.id, limit: 5, at: ceremony.begunAt) })
        storage.stop()
    }

    @Test func `everything about a ceremony is read back as it was written`() throws {
        let storage = try SQLiteStorage(command: folder.database)
        let ceremony = StoredCeremony(
            purpose: .registration(collection: "passkeys"),
            kinds: [.passkey],
            identifier: Identifier("lee"),
            account: .random(),
            session: .random(),
            challenge: Challenge(bytes: Array(0..<32)),
            client: .native,
            mediation: .conditional,
            deviceID: "device\u{0}1",
            returnTo: "https://app.example.test/?a=1",
            signup: SignupDraft(username: "lee", displayName: "Lee \u{1F600}", userHandle: [0, 255]),
            memo: [1, 2, 3],
            begunAt: Timestamp(milliseconds: 1),
            expiresAt: Timestamp(milliseconds: .max)
        )
        try storage.write { try $0.insert(ceremony) }
        #expect(try storage.read { (reader) throws(ProviderFault) in try reader.ceremony(ceremony.id) } == ceremony)
        storage.stop()
    }
}
