import Foundation
import GatehouseTesting
import Synchronization

/// Passkey sign-ins over HTTP, both calls, with every commit flushed to disk; 1 is a thousand in a second.
struct PasskeySignIns: Scenario {
    let name = "passkey-sign-ins"
    let budget = 1.0

    private static let clients = 16
    private static let seconds = 5.0

    func run() throws -> Double {
        let site = try Site(withNginx: false)
        let people = try (0..<Self.clients).map { _ in try Person(site) }
        let group = DispatchGroup()
        let clock = ContinuousClock()
        let begun = clock.now
        let end = begun + .seconds(Self.seconds)
        let tally = Tally()
        for person in people {
            group.enter()
            Thread.detachNewThread {
                while ContinuousClock().now < end {
                    do { try person.signIn() } catch { return tally.fail(group) }
                    tally.count()
                }
                group.leave()
            }
        }
        group.wait()
        guard !tally.hasFailed else { throw ScenarioFault(reason: "a sign-in failed") }
        return Double(tally.total) / ((clock.now - begun) / .seconds(1)) / 1_000
    }

    private final class Tally: Sendable {
        private let completed = Atomic<Int>(0)
        private let failures = Atomic<Int>(0)

        func count() { completed.add(1, ordering: .relaxed) }
        func fail(_ group: DispatchGroup) {
            failures.add(1, ordering: .relaxed)
            group.leave()
        }
        var total: Int { completed.load(ordering: .relaxed) }
        var hasFailed: Bool { failures.load(ordering: .relaxed) > 0 }
    }
}

/// Somebody with a passkey, on a connection of their own.
private final class Person: @unchecked Sendable {
    // Sound: each is used by one thread.
    private let connection: Connection
    private let authenticator = SoftAuthenticator()
    private let origin: String

    private struct Begun: Decodable {
        let ceremonyId: String
    }

    init(_ site: Site) throws {
        connection = try Connection(port: site.publicPort)
        origin = "http://localhost:\(site.publicPort)"
        let begun = try connection.post("/passkeys/register/options", Data("{}".utf8))
        let response = try authenticator.create(optionsJSON: try Self.options(begun.body), origin: origin)
        try complete("/passkeys/register/verify", begun.body, response)
    }

    func signIn() throws {
        let begun = try connection.post("/passkeys/authenticate/options", Data("{}".utf8))
        let response = try authenticator.get(optionsJSON: try Self.options(begun.body), origin: origin)
        try complete("/passkeys/authenticate/verify", begun.body, response)
    }

    private func complete(_ path: String, _ begun: Data, _ response: Data) throws {
        let ceremony = try JSONDecoder().decode(Begun.self, from: begun).ceremonyId
        let body = Data(#"{"ceremonyId":"\#(ceremony)","response":"#.utf8) + response + Data("}".utf8)
        let reply = try connection.post(path, body)
        guard reply.status == 200 else {
            throw ScenarioFault(reason: "\(path) answered \(String(decoding: reply.body, as: UTF8.self))")
        }
    }

    /// The member `options`, as JSON.
    private static func options(_ answer: Data) throws -> Data {
        guard let object = try JSONSerialization.jsonObject(with: answer) as? [String: Any],
            let options = object["options"]
        else { throw ScenarioFault(reason: "no options in \(String(decoding: answer, as: UTF8.self))") }
        return try JSONSerialization.data(withJSONObject: options)
    }
}
