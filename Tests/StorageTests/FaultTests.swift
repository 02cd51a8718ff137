import Foundation
import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Glibc
import Storage
import Testing

/// Disks that fill up, locks that are held, processes that are killed.
struct FaultTests {
    let folder = TemporaryFolder()

    @Test func `a locked database is unavailable, and works again once it is free`() throws {
        let storage = try SQLiteStorage(command: folder.database)
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = """
            import sqlite3, sys
            c = sqlite3.connect(sys.argv[1], isolation_level=None)
            c.execute("BEGIN IMMEDIATE"); print("held", flush=True); sys.stdin.readline(); c.execute("ROLLBACK")
            print("free", flush=True)
            """
        holder.arguments = ["python3", "-c", script, folder.database]
        let input = Pipe()
        let output = Pipe()
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        #expect(!output.fileHandleForReading.availableData.isEmpty)
        #expect { try storage.write { try $0.insert(StoredCeremony.signIn()) } } throws: { error in
            guard case SignInError.unavailable(let fault) = error else { return false }
            return fault.kind == .storage
        }
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        #expect(!output.fileHandleForReading.availableData.isEmpty)
        holder.waitUntilExit()
        try storage.write { try $0.insert(StoredCeremony.signIn()) }
        storage.stop()
    }

    @Test func `a full disk writes nothing by half, and works again once there is room`() async throws {
        let path = folder.database
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            let storage = try SQLiteStorage(command: path)
            let kept = StoredCeremony.signIn()
            try storage.write { try $0.insert(kept) }
            var limit = rlimit(rlim_cur: 0, rlim_max: rlim_t.max)
            let size = try #require(
                try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? UInt
            )
            limit.rlim_cur = size + 8_192
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            var written: [StoredCeremony] = []
            var failure: (any Error)?
            while failure == nil, written.count < 1_000 {
                let next = StoredCeremony.signIn()
                do {
                    try storage.write { try $0.insert(next) }
                    written.append(next)
                } catch { failure = error }
            }
            guard case SignInError.unavailable(let fault)? = failure else { fatalError("the disk never filled up") }
            #expect(fault.kind == .storage)
            limit.rlim_cur = rlim_t.max
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let after = StoredCeremony.signIn()
            try storage.write { try $0.insert(after) }
            for ceremony in [kept] + written + [after] {
                let found = try storage.read { (reader) throws(ProviderFault) in try reader.ceremony(ceremony.id) }
                guard found == ceremony else { fatalError("an acknowledged ceremony is gone") }
            }
            exit(0)
        }
    }

    @Test func `a file that may not be written is refused, and opens again once it may`() async throws {
        let path = folder.database
        try SQLiteStorage(command: path).stop()
        chmod(folder.path, 0o555)
        chmod(path, 0o444)
        await #expect(processExitsWith: .success) { [path = path as String] in
            // Root may write anything; nobody else may.
            if geteuid() == 0 { seteuid(65_534) }
            do {
                let storage = try SQLiteStorage(command: path)
                try storage.write { try $0.insert(StoredCeremony.signIn()) }
            } catch StorageOpenError.unreadable {
                exit(0)
            } catch SignInError.unavailable {
                exit(0)
            }
            exit(1)
        }
        chmod(folder.path, 0o755)
        chmod(path, 0o600)
        let again = try SQLiteStorage(command: path)
        try again.write { try $0.insert(StoredCeremony.signIn()) }
        again.stop()
    }

    @Test func `a process that is killed before its commit leaves nothing of it behind`() async throws {
        let path = folder.database
        let before = StoredCeremony.signIn()
        let storage = try SQLiteStorage(command: path)
        try storage.write { try $0.insert(before) }
        storage.stop()
        let id = before.id.text
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, id = id as String] in
            let storage = try SQLiteStorage(command: path)
            try storage.write { writer in
                guard try writer.consume(CeremonyID(stored: id), at: SystemClock().now) else { exit(1) }
                kill(getpid(), SIGKILL)
            }
        }
        let again = try SQLiteStorage(command: path)
        #expect(try again.write { try $0.consume(before.id, at: before.begunAt) })
        again.stop()
    }

    @Test func `whatever was acknowledged under load survives being killed, twenty times`() async throws {
        let path = folder.database
        let journal = folder.path + "/acknowledged"
        for _ in 0..<20 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, journal = journal as String] in
                let storage = try SQLiteStorage(command: path)
                let file = open(journal, O_CREAT | O_WRONLY | O_APPEND, 0o600)
                let results = race(8) { index in
                    // One of the threads ends the process, somewhere in the middle of the others' work.
                    let victim = index == 0 ? Int.random(in: 20...400) : Int.max
                    for round in 0..<10_000 {
                        if round == victim { kill(getpid(), SIGKILL) }
                        let ceremony = StoredCeremony.signIn()
                        try? storage.write { writer in
                            try writer.insert(ceremony)
                            _ = try writer.consume(ceremony.id, at: ceremony.begunAt)
                        }
                        let line = Array((ceremony.id.text + "\n").utf8)
                        _ = write(file, line, line.count)
                    }
                    return index
                }
                exit(Int32(results.count))
            }
        }
        let acknowledged = try String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n")
        #expect(acknowledged.count > 400)
        let storage = try SQLiteStorage(command: path)
        for id in acknowledged {
            let found = try storage.read { (reader) throws(ProviderFault) in
                try reader.ceremony(CeremonyID(stored: String(id)))
            }
            #expect(found?.isConsumed == true)
        }
        storage.stop()
    }
}
