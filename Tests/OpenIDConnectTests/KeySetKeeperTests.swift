import Dispatch
import GatehouseKit
import GatehouseTesting
import Synchronization
import Testing
import WebClient

@testable import OpenIDConnectProvider

struct KeySetKeeperTests {
    let clock = ManualClock()
    let publisher = KeyPublisher()
    let keeper: KeySetKeeper

    init() {
        let source = KeySetSource(kind: .apple, url: "https://issuer.test/keys")
        keeper = KeySetKeeper(source, clock: clock, log: Log { _ in }, fetch: publisher.fetch)
    }

    private func count(of id: String) throws -> Int { try keeper.keys(named: id, for: .rs256).count }

    @Test func `keys are fetched once and then kept`() throws {
        for _ in 0..<3 { #expect(try count(of: KeyPublisher.keyID) == 1) }
        #expect(publisher.count == 1)
    }

    @Test func `a new key costs one fetch`() throws {
        _ = try count(of: KeyPublisher.keyID)
        clock.advance(by: .minutes(5))
        publisher.publish([KeyPublisher.rsa("key-2")])
        for _ in 0..<3 { #expect(try count(of: "key-2") == 1) }
        #expect(publisher.count == 2)
        #expect(try count(of: KeyPublisher.keyID) == 0)
    }

    @Test func `names that are made up cost one fetch in a cool-down`() throws {
        _ = try count(of: KeyPublisher.keyID)
        clock.advance(by: .minutes(5))
        for attempt in 0..<200 {
            #expect(try count(of: "forged-\(attempt)") == 0)
            clock.advance(by: Timestamp.Span(milliseconds: 250))
        }
        #expect(publisher.count == 2)
        clock.advance(by: .seconds(60))
        #expect(try count(of: "forged") == 0)
        #expect(publisher.count == 3)
    }

    @Test func `with the address down, keys work until their age, and then it is an outage`() throws {
        _ = try count(of: KeyPublisher.keyID)
        publisher.fail()
        clock.advance(by: .days(1))
        #expect(try count(of: KeyPublisher.keyID) == 1)
        clock.advance(by: Timestamp.Span(milliseconds: 1))
        let outage = ProviderFault("fetch an issuer's keys", code: 0, kind: .dependency)
        #expect(throws: outage) { try count(of: KeyPublisher.keyID) }
        clock.advance(by: .minutes(2))
        publisher.publish([KeyPublisher.rsaKey])
        #expect(try count(of: KeyPublisher.keyID) == 1)
    }

    @Test func `whether a key exists can't be known while the address is down`() throws {
        _ = try count(of: KeyPublisher.keyID)
        publisher.fail()
        clock.advance(by: .minutes(5))
        for _ in 0..<3 { #expect(throws: ProviderFault.self) { try count(of: "key-2") } }
        #expect(publisher.count == 2)
        #expect(try count(of: KeyPublisher.keyID) == 1)
    }

    @Test func `without any keys it is an outage, asked again after the cool-down`() throws {
        publisher.fail()
        for _ in 0..<3 { #expect(throws: ProviderFault.self) { try count(of: KeyPublisher.keyID) } }
        #expect(publisher.count == 1)
        publisher.publish([KeyPublisher.rsaKey])
        #expect(throws: ProviderFault.self) { try count(of: KeyPublisher.keyID) }
        clock.advance(by: .seconds(60))
        #expect(try count(of: KeyPublisher.keyID) == 1)
    }

    @Test func `an answer that is no key set leaves the keys that there are`() throws {
        _ = try count(of: KeyPublisher.keyID)
        publisher.publish(Array("<html>".utf8))
        clock.advance(by: .minutes(5))
        #expect(throws: ProviderFault.self) { try count(of: "key-2") }
        #expect(try count(of: KeyPublisher.keyID) == 1)
    }

    @Test func `all who wait for the keys share one fetch`() async throws {
        let (publisher, arrived, allowed) = (publisher, DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let fetch = publisher.fetch
        let keeper = KeySetKeeper(
            KeySetSource(kind: .apple, url: ""),
            clock: clock,
            log: Log { _ in }
        ) { (url) throws(WebClientFault) in
            arrived.signal()
            allowed.wait()
            return try fetch(url)
        }
        let counts = Counts()
        let all = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: all) {
                counts.add((try? keeper.keys(named: KeyPublisher.keyID, for: .rs256).count) ?? 0)
            }
        }
        arrived.wait()
        allowed.signal()
        all.wait()
        #expect(counts.sum == 4 && publisher.count == 1)
    }
}

private final class Counts: Sendable {
    private let total = Mutex(0)
    func add(_ count: Int) { total.withLock { $0 += count } }
    var sum: Int { total.withLock { $0 } }
}
