import Foundation
import Synchronization

/// Clients that sign in with a password, one sign-in after the other.
final class PasswordClients: Sendable {
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
