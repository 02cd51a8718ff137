/// What an access check with a cached session costs, beside nginx answering 204 to everything.
struct CheckDirect: Scenario {
    let name = "check"
    let budget = 0.70

    func run() throws -> Double {
        let site = try Site()
        let headers = try site.checkHeaders()
        return try Wrk.ratio(
            of: Wrk(port: site.checkPort, path: "/auth/nginx", headers: headers).rate,
            to: Wrk(port: site.emptyPort, path: "/auth/nginx", headers: headers).rate
        )
    }
}

/// The same behind nginx, beside the same nginx asking a server that answers 204.
struct CheckBehindNginx: Scenario {
    let name = "check-behind-nginx"
    let budget = 0.90

    func run() throws -> Double {
        let site = try Site()
        let headers = try site.checkHeaders()
        return try Wrk.ratio(
            of: Wrk(port: site.guardedPort, path: "/", headers: headers).rate,
            to: Wrk(port: site.referencePort, path: "/", headers: headers).rate
        )
    }
}

/// How long all but one in a hundred visitors wait behind nginx; 1 is twice as long as with the server that answers 204.
struct CheckTail: Scenario {
    let name = "check-p99"
    let budget = 1.0

    func run() throws -> Double {
        let site = try Site()
        let headers = try site.checkHeaders()
        return try Wrk.ratio(
            of: { 2 / (try Wrk(port: site.guardedPort, path: "/", headers: headers).run().slowestHundredth) },
            to: { 1 / (try Wrk(port: site.referencePort, path: "/", headers: headers).run().slowestHundredth) }
        )
    }
}

/// What a check takes of the processor; 1 is 1.6 times what nginx takes for its 204.
struct CheckProcessorTime: Scenario {
    let name = "check-cpu"
    let budget = 1.0

    func run() throws -> Double {
        let site = try Site()
        let headers = try site.checkHeaders()
        let (gateway, nginx) = (site.gateway, try site.reference)
        return try Wrk.ratio(
            of: { 1.6 / (try gateway.timeEach(in: Wrk(port: site.checkPort, path: "/auth/nginx", headers: headers))) },
            to: { 1 / (try nginx.timeEach(in: Wrk(port: site.emptyPort, path: "/auth/nginx", headers: headers))) }
        )
    }
}

/// The check with a hundred rules, the last of which decides, beside the check with one.
struct CheckWithHundredRules: Scenario {
    let name = "check-100-rules"
    let budget = 0.95

    func run() throws -> Double {
        let others = (1..<100).map { #"{ host: localhost, paths: ["/other\#($0)/**"], require: { assurance: aal1 } }"# }
        let last = "{ host: localhost, require: { assurance: aal1 } }"
        let many = try Site(withNginx: false, settings: Self.rules(others + [last]))
        let one = try Site(withNginx: false, settings: Self.rules([last]))
        return try Wrk.ratio(
            of: Wrk(port: many.checkPort, path: "/auth/nginx", headers: many.checkHeaders()).rate,
            to: Wrk(port: one.checkPort, path: "/auth/nginx", headers: one.checkHeaders()).rate
        )
    }

    private static func rules(_ rules: [String]) -> String { "access: { rules: [\(rules.joined(separator: ", "))] }" }
}

/// The check with a signed identity in its answer, beside the check without.
struct CheckWithRemoteToken: Scenario {
    let name = "check-remote-token"
    let budget = 0.90

    func run() throws -> Double {
        let signing = try Site(withNginx: false, settings: "identity: { token: true }")
        let plain = try Site(withNginx: false)
        return try Wrk.ratio(
            of: Wrk(port: signing.checkPort, path: "/auth/nginx", headers: signing.checkHeaders()).rate,
            to: Wrk(port: plain.checkPort, path: "/auth/nginx", headers: plain.checkHeaders()).rate
        )
    }
}

/// The check while two clients hash passwords without a pause, beside the check alone.
struct CheckWhileHashing: Scenario {
    let name = "check-while-hashing"
    let budget = 0.70

    func run() throws -> Double {
        let site = try Site(withNginx: false)
        let wrk = try Wrk(port: site.checkPort, path: "/auth/nginx", headers: site.checkHeaders())
        return try Wrk.ratio(
            rounds: 3,
            of: { try PasswordClients(site, count: 2).whileRunning(wrk.rate) },
            to: wrk.rate
        )
    }
}
