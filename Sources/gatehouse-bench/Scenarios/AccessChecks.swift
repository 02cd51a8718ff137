import Foundation
import Synchronization

/// What an access check with a cached session costs, beside nginx answering 204 to everything.
struct CheckDirect: Scenario {
    let name = "check"
    let budget = 0.60

    func run() throws -> Double {
        let site = try Site()
        let headers = try site.checkHeaders()
        return try Wrk.ratio(
            of: { try Wrk.rate(port: site.checkPort, path: "/auth/nginx", headers: headers) },
            to: { try Wrk.rate(port: site.emptyPort, path: "/auth/nginx", headers: headers) }
        )
    }
}

/// The same behind nginx, beside the same nginx asking a server that answers 204.
struct CheckBehindNginx: Scenario {
    let name = "check-behind-nginx"
    let budget = 0.80

    func run() throws -> Double {
        let site = try Site()
        let headers = try site.checkHeaders()
        return try Wrk.ratio(
            of: { try Wrk.rate(port: site.guardedPort, path: "/", headers: headers) },
            to: { try Wrk.rate(port: site.referencePort, path: "/", headers: headers) }
        )
    }
}

/// The check with a signed identity in its answer, beside the check without.
struct CheckWithRemoteToken: Scenario {
    let name = "check-remote-token"
    let budget = 0.90

    func run() throws -> Double {
        let signing = try Site(withNginx: false, settings: "identity: { token: true }")
        let plain = try Site(withNginx: false)
        let (signed, unsigned) = (try signing.checkHeaders(), try plain.checkHeaders())
        return try Wrk.ratio(
            of: { try Wrk.rate(port: signing.checkPort, path: "/auth/nginx", headers: signed) },
            to: { try Wrk.rate(port: plain.checkPort, path: "/auth/nginx", headers: unsigned) }
        )
    }
}

/// The check while two clients hash passwords without a pause, beside the check alone.
struct CheckWhileHashing: Scenario {
    let name = "check-while-hashing"
    let budget = 0.70

    func run() throws -> Double {
        let site = try Site(withNginx: false)
        let headers = try site.checkHeaders()
        let rate = { try Wrk.rate(port: site.checkPort, path: "/auth/nginx", headers: headers) }
        return try Wrk.ratio(
            rounds: 3,
            of: { try PasswordClients(site, count: 2).whileRunning(rate) },
            to: rate
        )
    }
}

extension Site {
    /// What a proxy sends along with a request of a signed-in visitor.
    fileprivate func checkHeaders() throws -> [String] {
        try addAccount("lee")
        return [
            "X-Original-URL: http://localhost:8080/app/page?x=1", "X-Original-Method: GET",
            "Cookie: theme=dark; gatehouse=\(try signIn("lee"))",
        ]
    }
}

/// Clients that sign in with a password, one sign-in after the other.
private final class PasswordClients: Sendable {
    private let isStopping = Atomic<Bool>(false)
    private let signedIn = Atomic<Int>(0)
    private let group = DispatchGroup()

    init(_ site: Site, count: Int) {
        let port = site.publicPort
        for _ in 0..<count {
            group.enter()
            Thread.detachNewThread { [self] in
                while !isStopping.load(ordering: .relaxed), (try? Self.signIn(port)) != nil {
                    signedIn.add(1, ordering: .relaxed)
                }
                group.leave()
            }
        }
    }

    func whileRunning(_ work: () throws -> Double) throws -> Double {
        let result = Result { try work() }
        isStopping.store(true, ordering: .relaxed)
        group.wait()
        guard signedIn.load(ordering: .relaxed) > 0 else { throw ScenarioFault(reason: "nobody signed in meanwhile") }
        return try result.get()
    }

    private static func signIn(_ port: UInt16) throws {
        struct Begun: Decodable { let ceremonyId: String }
        let connection = try Connection(port: port)
        let begun = try connection.post("/sign-in/options", Data("{}".utf8))
        let ceremony = try JSONDecoder().decode(Begun.self, from: begun.body).ceremonyId
        let credential = #"{"kind":"password","identifier":"lee","password":"\#(Site.password)"}"#
        let body = Data(#"{"ceremonyId":"\#(ceremony)","credential":\#(credential)}"#.utf8)
        guard try connection.post("/sign-in/verify", body).status == 200 else {
            throw ScenarioFault(reason: "a sign-in failed")
        }
    }
}
