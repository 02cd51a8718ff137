import GatehouseKit
import GatehouseTesting
import Storage
import Synchronization
import Testing

@testable import GatehouseCore

struct BasicSignInTests {
    private let gateway: Gateway
    private let lee: Account
    private static let lanes = WorkerLanes(cores: 1, hashes: 1)

    init() throws {
        gateway = try Gateway(throttle: ThrottlePolicy(freeFailures: 2))
        lee = try gateway.add("lee")
    }

    private func service(memory: Timestamp.Span = .seconds(60)) throws -> BasicSignIn {
        try #require(
            BasicSignIn(
                storage: gateway.storage,
                registry: gateway.registry,
                throttle: ThrottlePolicy(freeFailures: 2),
                lanes: Self.lanes,
                memory: memory,
                clock: gateway.clock
            )
        )
    }

    private func ask(_ service: BasicSignIn, _ name: String = "lee", _ word: String = "leelee") async throws
        -> MachineService.Finding
    {
        let credential = try #require(BasicCredential(identifier: name, password: word))
        return await withCheckedContinuation { continuation in
            service.identify(credential, from: .app) { continuation.resume(returning: $0) }
        }
    }

    private func code(_ finding: MachineService.Finding) -> ProblemCode? {
        guard case .failure(.refused(let refusal)) = finding else { return nil }
        return refusal.code
    }

    @Test func `the right word names its account, for as long as it is remembered`() async throws {
        let caller = try #require(try await ask(service()).get())
        #expect(caller.account.id == lee.id && caller.kind == .basic && caller.assurance == .aal1)
        #expect(gateway.clock.now < caller.expiresAt)
    }

    @Test func `what is remembered is not checked again, and is forgotten in time`() async throws {
        let service = try service()
        _ = try await ask(service).get()
        #expect(gateway.words.checks == 1)
        gateway.clock.advance(by: .seconds(59))
        _ = try await ask(service).get()
        #expect(gateway.words.checks == 1)
        gateway.clock.advance(by: .seconds(1))
        _ = try await ask(service).get()
        #expect(gateway.words.checks == 2)
    }

    @Test func `a wrong word is never remembered`() async throws {
        let service = try service()
        #expect(code(try await ask(service, "lee", "wrong")) == .credentialRejected)
        _ = try await ask(service).get()
        #expect(gateway.words.checks == 2)
    }

    @Test func `failures here count at a sign-in, and the other way round`() async throws {
        let service = try service()
        #expect(code(try await ask(service, "lee", "wrong")) == .credentialRejected)
        #expect(
            refusal { _ = try gateway.complete(try gateway.begin(), "lee", "wrong", from: .app) } == .credentialRejected
        )
        #expect(code(try await ask(service)) == .tooManyAttempts)
        #expect(refusal { _ = try gateway.complete(try gateway.begin(), "lee", from: .app) } == .tooManyAttempts)
    }

    @Test func `names that nobody has are counted as well`() async throws {
        let service = try service()
        for _ in 0..<2 { #expect(code(try await ask(service, "nobody", "x")) == .credentialRejected) }
        #expect(code(try await ask(service, "nobody", "x")) == .tooManyAttempts)
    }

    @Test func `success forgets failures`() async throws {
        let service = try service(memory: .seconds(0))
        for _ in 0..<3 {
            #expect(code(try await ask(service, "lee", "wrong")) == .credentialRejected)
            _ = try await ask(service).get()
        }
    }

    @Test func `a word that changes while it is checked opens nothing`() async throws {
        let service = try service()
        gateway.words.meanwhile.set { [gateway, lee] in
            guard let held = try? gateway.held(by: lee).first else { return }
            let change = CredentialChange(payload: Array("new".utf8), version: held.record.version, isEssential: true)
            _ = try? gateway.storage.write { try $0.apply(change, to: held.id) }
        }
        guard case .failure(.unavailable(let fault)) = try await ask(service) else {
            Issue.record("not an outage")
            return
        }
        #expect(fault.kind == .overload)
        #expect(code(try await ask(service)) == .credentialRejected)
        // The outage was nobody's failure: this is the second one.
        #expect(code(try await ask(service, "lee", "x")) == .credentialRejected)
    }

    @Test func `an account that is disabled meanwhile is refused, remembered or not`() async throws {
        let service = try service()
        _ = try await ask(service).get()
        try gateway.accounts.setDisabled(true, lee.id)
        #expect(code(try await ask(service)) == .credentialRejected)
    }
}
