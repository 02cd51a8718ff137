import Dispatch
import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Storage
import Testing

struct GroupCommitTests {
    let folder = TemporaryFolder()

    @Test func `a transaction that fails undoes itself and not its neighbours`() throws {
        let storage = try SQLiteStorage(command: folder.database)
        let gate = DispatchSemaphore(value: 0)
        let isHeld = DispatchSemaphore(value: 0)
        let ceremonies = (0..<16).map { _ in StoredCeremony.signIn() }
        // The first job holds the writer until the others are queued, so that one commit serves them all.
        spawn {
            try? storage.write { _ in
                isHeld.signal()
                gate.wait()
            }
        }
        isHeld.wait()
        let results = race(16) { index -> Bool in
            if index == 15 { gate.signal() }
            do {
                try storage.write { writer in
                    try writer.insert(ceremonies[index])
                    if index.isMultiple(of: 2) { throw Refusal(.forbidden, "test") }
                }
                return true
            } catch { return false }
        }
        #expect(results.count { $0 } == 8)
        for (index, ceremony) in ceremonies.enumerated() {
            let found = try storage.read { (reader) throws(ProviderFault) in try reader.ceremony(ceremony.id) }
            #expect((found != nil) == !index.isMultiple(of: 2))
        }
        storage.stop()
    }

    @Test func `what is acknowledged is seen by the next reader`() throws {
        let storage = try SQLiteStorage(command: folder.database)
        let missed = race(8) { _ -> Int in
            (0..<50).count { _ in
                let ceremony = StoredCeremony.signIn()
                try? storage.write { try $0.insert(ceremony) }
                let found = try? storage.read { (reader) throws(ProviderFault) in try reader.ceremony(ceremony.id) }
                return found == nil
            }
        }
        #expect(missed.allSatisfy { $0 == 0 })
        storage.stop()
    }

    @Test func `a command's change is noticed by the gateway, and its own is not`() throws {
        let noticed = DispatchSemaphore(value: 0)
        let gateway = try SQLiteStorage(
            path: folder.database,
            role: .gateway { noticed.signal() },
            clock: SystemClock()
        )
        try gateway.write { try $0.insert(StoredCeremony.signIn()) }
        #expect(noticed.wait(timeout: .now() + .milliseconds(600)) == .timedOut)
        let command = try SQLiteStorage(command: folder.database)
        try command.write { try $0.insert(StoredCeremony.signIn()) }
        #expect(noticed.wait(timeout: .now() + .seconds(10)) == .success)
        command.stop()
        gateway.stop()
    }

    @Test func `after stopping nothing is accepted, and what was queued is there`() throws {
        let storage = try SQLiteStorage(command: folder.database)
        let ceremony = StoredCeremony.signIn()
        try storage.write { try $0.insert(ceremony) }
        storage.stop()
        #expect(throws: SignInError.self) { try storage.write { try $0.insert(StoredCeremony.signIn()) } }
        let again = try SQLiteStorage(command: folder.database)
        #expect(try again.read { (reader) throws(ProviderFault) in try reader.ceremony(ceremony.id) } == ceremony)
        again.stop()
    }
}
