import Foundation
import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Storage
import Testing

struct FileTests {
    let folder = TemporaryFolder()

    private func sqlite(_ sql: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c", "import sqlite3,sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])",
        ]
        process.arguments?.append(contentsOf: [folder.database, sql])
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func `a database of another application is refused and left alone`() throws {
        try sqlite("CREATE TABLE theirs (x)")
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        #expect(throws: StorageOpenError.foreign) { try SQLiteStorage(command: folder.database) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
    }

    @Test func `a database of a newer version is refused, and the present one opens`() throws {
        try SQLiteStorage(command: folder.database).stop()
        try SQLiteStorage(command: folder.database).stop()
        try sqlite("PRAGMA user_version = 99")
        #expect { try SQLiteStorage(command: folder.database) } throws: { error in
            guard case StorageOpenError.newer(schema: 99, _) = error else { return false }
            return true
        }
    }

    @Test func `a file that is no database is refused`() throws {
        try Data(repeating: 0x41, count: 8_192).write(to: URL(fileURLWithPath: folder.database))
        #expect { try SQLiteStorage(command: folder.database) } throws: { error in
            guard case StorageOpenError.unreadable = error else { return false }
            return true
        }
    }

    @Test func `a second gateway on the same file is refused`() throws {
        let first = try SQLiteStorage(path: folder.database, role: .gateway {}, clock: SystemClock())
        #expect(throws: StorageOpenError.inUse) {
            try SQLiteStorage(path: folder.database, role: .gateway {}, clock: SystemClock())
        }
        first.stop()
    }

    @Test func `nobody else can read the file`() throws {
        try SQLiteStorage(command: folder.database).stop()
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.database)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}
