import GatehouseKit
import GatehouseTesting
import Storage
import Synchronization
import Testing

@testable import GatehouseCore

/// Credentials of which something is left elsewhere when they are gone.
struct RemnantServiceTests {
    let gateway: Gateway
    let host = DistantHost()
    let service: RemnantService

    init() throws {
        gateway = try Gateway()
        service = RemnantService(
            storage: gateway.storage,
            registry: try ProviderRegistry([StampProvider(host: host)]),
            clock: gateway.clock,
            log: Log { _ in }
        )
    }

    /// An account with one credential that leaves something.
    private func account(_ name: String, leaving remnant: [UInt8]? = [7]) throws -> Account {
        try gateway.accounts.create(AccountProfile(username: name), kind: .apple) { (_) throws(SignInError) in
            NewCredential(
                key: Array(name.utf8),
                payload: [],
                name: nil,
                proof: Proof(factors: []),
                slot: Array(name.utf8),
                remnant: remnant
            )
        }
    }

    @Test func `nothing is ended while the credential is there`() throws {
        _ = try account("lee")
        try service.endDue()
        #expect(host.asked == [])
    }

    @Test func `what a deleted account leaves is ended once, and its event stays`() throws {
        let account = try account("lee")
        try gateway.accounts.delete(account.id)
        for _ in 0..<2 { try service.endDue() }
        #expect(host.asked == [[7]])
        #expect(try gateway.events(of: account).contains(.credentialRevoked))
    }

    @Test func `a credential that leaves nothing is no matter`() throws {
        try gateway.accounts.delete(try account("lee", leaving: nil).id)
        try service.endDue()
        #expect(host.asked == [])
    }

    @Test func `a deleted and a replaced credential leave it too`() throws {
        let storage = gateway.storage
        let held = try [account("lee"), account("kim", leaving: [8])].flatMap { try gateway.held(by: $0) }
        try storage.write { writer in
            _ = try writer.delete(held[0].id)
            _ = try writer.deleteCredentials(of: .apple, in: Array("kim".utf8))
        }
        try service.endDue()
        #expect(Set(host.asked) == [[7], [8]])
    }

    @Test func `a deletion that is undone leaves nothing`() throws {
        let account = try account("lee")
        #expect(throws: SignInError.self) {
            try gateway.storage.write { writer in
                _ = try writer.delete(account.id)
                throw Refusal(.lastCredential, "undone")
            }
        }
        try service.endDue()
        #expect(host.asked == [])
    }

    @Test func `an outage is outlived, with longer and longer pauses`() throws {
        let account = try account("lee")
        try gateway.accounts.delete(account.id)
        host.answer(.unavailable(ProviderFault("ask", code: 0, kind: .dependency)))
        for (pause, count) in [(0, 1), (4, 1), (1, 2), (9, 2), (1, 3), (19, 3), (1, 4)] {
            gateway.clock.advance(by: .seconds(Int64(pause)))
            try service.endDue()
            #expect(host.asked.count == count)
        }
        host.answer(nil)
        gateway.clock.advance(by: .hours(12))
        try service.endDue()
        #expect(host.asked.count == 5)
        #expect(try gateway.events(of: account).contains(.credentialRevoked))
    }

    @Test func `what will never be taken is given up, and so is a host that never comes back`() throws {
        let refused = try account("lee")
        host.answer(.refused(Refusal(.credentialRejected, "no use")))
        try gateway.accounts.delete(refused.id)
        try service.endDue()
        #expect(try gateway.audit(of: refused).contains { $0.action == .revocationFailed && $0.reason == "no use" })
        let unreachable = try account("kim")
        host.answer(.unavailable(ProviderFault("ask", code: 0, kind: .dependency)))
        try gateway.accounts.delete(unreachable.id)
        var tries = 0
        while try !gateway.events(of: unreachable).contains(.revocationFailed), tries < 200 {
            gateway.clock.advance(by: .hours(12))
            try service.endDue()
            tries += 1
        }
        #expect(tries == 80)
    }

    @Test func `a provider that is switched off is waited for`() throws {
        let without = RemnantService(
            storage: gateway.storage,
            registry: gateway.registry,
            clock: gateway.clock,
            log: Log { _ in }
        )
        try gateway.accounts.delete(try account("lee").id)
        try without.endDue()
        gateway.clock.advance(by: .hours(12))
        try service.endDue()
        #expect(host.asked == [[7]])
    }
}

/// Where something is left.
final class DistantHost: Sendable {
    private struct State {
        var asked: [[UInt8]] = []
        var answer: SignInError?
    }

    private let state = Mutex(State())

    var asked: [[UInt8]] { state.withLock { $0.asked } }

    /// - Parameter answer: `nil` for success.
    func answer(_ answer: SignInError?) { state.withLock { $0.answer = answer } }

    func end(_ remnant: [UInt8]) throws(SignInError) {
        let answer = state.withLock { state in
            state.asked.append(remnant)
            return state.answer
        }
        if let answer { throw answer }
    }
}

private struct StampProvider: RevokingProvider {
    let kind = CredentialKind.apple
    let host: DistantHost

    struct Credential: Decodable, Sendable {}

    func verify(_ credential: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence {
        throw .refused(Refusal(.credentialRejected, "never signs in"))
    }

    func revoke(_ remnant: [UInt8]) throws(SignInError) { try host.end(remnant) }
}
