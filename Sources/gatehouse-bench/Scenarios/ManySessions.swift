import Foundation

/// The check with a million sessions in storage and a hundred thousand of them in use, beside a thousand.
struct CheckWithMillionSessions: Scenario {
    let name = "check-1m-sessions"
    let budget = 0.90

    func run() throws -> Double {
        let (few, many) = (try Crowd(hot: 1_000, cold: 0), try Crowd(hot: 100_000, cold: 900_000))
        return try Wrk.ratio(of: many.wrk.rate, to: few.wrk.rate)
    }
}

/// A gateway with so many sessions, and wrk, which comes with each of the hot ones in turn.
private struct Crowd {
    let wrk: Wrk
    private let folder: WorkFolder
    private let site: Site

    init(hot: Int, cold: Int) throws {
        folder = try WorkFolder()
        let database = folder.url.appendingPathComponent("sessions.sqlite3")
        let tokens = try SessionMint(database).mint(hot)
        if cold > 0 { try IdleSessions.add(cold, to: database.path) }
        site = try Site(withNginx: false, database: database)
        try site.check(tokens)
        let list = try folder.write("tokens", tokens.joined(separator: "\n"))
        let script = try folder.write(
            "turns.lua",
            """
            local requests, turn = {}, 0
            local headers = { ["X-Original-URL"] = "http://localhost/app/page?x=1", ["X-Original-Method"] = "GET" }
            function init()
                for token in io.lines("\(list)") do
                    headers["Cookie"] = "theme=dark; gatehouse=" .. token
                    requests[#requests + 1] = wrk.format("GET", "/auth/nginx", headers)
                end
            end
            function request()
                turn = turn % #requests + 1
                return requests[turn]
            end
            """
        )
        wrk = Wrk(port: site.checkPort, path: "/auth/nginx", script: script)
    }
}
