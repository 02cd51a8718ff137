import Foundation

/// Resident memory of a gateway that has nothing to do; 1 is 40 MB.
struct IdleMemory: Scenario {
    let name = "memory-idle"
    let budget = 1.0

    func run() throws -> Double {
        let site = try Site(withNginx: false)
        _ = try Connection(port: site.publicPort).get("/healthz")
        return 40_000_000 / Double(try site.gateway.residentBytes())
    }
}

/// Resident memory with 100 000 sessions in the cache; 1 is 120 MB.
struct CachedSessionsMemory: Scenario {
    let name = "memory-100k-sessions"
    let budget = 1.0

    private static let count = 100_000

    func run() throws -> Double {
        let folder = try WorkFolder()
        let database = folder.url.appendingPathComponent("sessions.sqlite3")
        let tokens = try SessionMint(database).mint(Self.count)
        let site = try Site(withNginx: false, database: database)
        try site.check(tokens)
        return 120_000_000 / Double(try site.gateway.residentBytes())
    }
}

/// From the start of the process to its first answer; 1 is a tenth of a second.
struct StartTime: Scenario {
    let name = "start"
    let budget = 1.0

    func run() throws -> Double {
        let site = try Site(withNginx: false)
        let times = try (0..<7).map { _ in try site.restartTime() }.sorted()
        return 0.1 / times[times.count / 2]
    }
}
