import Dispatch
import GatehouseKit
import Synchronization
import Testing

@testable import GatehouseCore

struct AddressThrottleTests {
    let start = Timestamp(milliseconds: 1_780_000_000_000)

    @Test func `an address has its attempts, gets them back with time, and memory is bounded`() throws {
        let throttle = AddressThrottle(perMinute: 6, capacity: 100)
        for _ in 0..<6 { try throttle.take("192.0.2.1", now: start) }
        #expect { try throttle.take("192.0.2.1", now: start) } throws: { ($0 as? Refusal)?.remedy == .retryAfter(10) }
        try throttle.take("192.0.2.2", now: start)
        try throttle.take("192.0.2.1", now: start + .seconds(10))
        #expect(throws: Refusal.self) { try throttle.take("192.0.2.1", now: start + .seconds(10)) }
        for index in 0..<10_000 { try throttle.take("host-\(index)", now: start + .seconds(11)) }
    }
}

struct WorkerLaneTests {
    @Test func `a full lane says so at once, and a freed one takes work again`() {
        let lane = WorkerLane(threads: 1, capacity: 2)
        let gate = DispatchSemaphore(value: 0)
        let running = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        #expect(
            lane.submit { _ in
                running.signal()
                gate.wait()
            }
        )
        running.wait()
        #expect(lane.submit { _ in done.signal() })
        #expect(lane.submit { _ in done.signal() })
        #expect(!lane.submit { _ in Issue.record("a refused job ran") })
        gate.signal()
        done.wait()
        done.wait()
        #expect(lane.submit { _ in done.signal() })
        done.wait()
    }

    @Test func `a job that waited longer than a visitor does is told so`() {
        let lane = WorkerLane(threads: 1, capacity: 2, patience: .milliseconds(20))
        let (running, gate, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), OrderLog())
        _ = lane.submit { isLate in
            done.append(isLate ? 1 : 0)
            running.signal()
            gate.wait()
        }
        running.wait()
        let submitted = ContinuousClock.now
        _ = lane.submit { isLate in
            done.append(isLate ? 1 : 0)
            running.signal()
        }
        while submitted.duration(to: .now) < .milliseconds(25) {}
        gate.signal()
        running.wait()
        #expect(done.all == [0, 1])
    }

    @Test func `jobs run in the order they came`() {
        let lane = WorkerLane(threads: 1, capacity: 1_000)
        let done = DispatchSemaphore(value: 0)
        let log = OrderLog()
        for index in 0..<500 {
            _ = lane.submit { _ in
                log.append(index); if index == 499 { done.signal() }
            }
        }
        done.wait()
        #expect(log.all == Array(0..<500))
    }
}

private final class OrderLog: Sendable {
    private let values = Mutex<[Int]>([])
    func append(_ value: Int) { values.withLock { $0.append(value) } }
    var all: [Int] { values.withLock { $0 } }
}

struct SessionCacheTests {
    private func cached(_ name: String) throws -> CachedSession {
        let profile = try AccountProfile(username: name)
        let now = Timestamp(milliseconds: 1)
        let account = Account(
            id: .random(),
            identifier: profile.identifier,
            username: name,
            displayName: name,
            email: nil,
            userHandle: [],
            groups: [],
            createdAt: now
        )
        return CachedSession(
            session: StoredSession(
                id: .random(),
                account: account.id,
                client: .browser,
                scope: .full,
                assurance: .aal1,
                evidence: [],
                createdAt: now,
                authenticatedAt: now,
                lastSeenAt: now,
                expiresAt: now + .hours(1),
                idleLimit: .hours(1),
                userAgent: nil,
                address: nil
            ),
            account: account
        )
    }

    @Test func `what was removed while it was read is not put back`() throws {
        let cache = SessionCache()
        let digest = SessionToken.random().digest
        let generation = cache.generation(of: digest)
        cache.remove([digest])
        cache.insert(try cached("lee"), for: digest, ifStill: generation)
        #expect(cache.find(digest) == nil)
        cache.insert(try cached("lee"), for: digest, ifStill: cache.generation(of: digest))
        #expect(cache.find(digest) != nil)
        cache.removeAll()
        #expect(cache.find(digest) == nil)
    }

    @Test func `the cache keeps to its capacity`() throws {
        let cache = SessionCache(capacity: 64)
        let session = try cached("lee")
        let digests = (0..<5_000).map { _ in SessionToken.random().digest }
        for digest in digests { cache.insert(session, for: digest) }
        let kept = digests.count { cache.find($0) != nil }
        #expect(kept > 32 && kept <= 64)
    }

    @Test func `one of many who use a session at once writes the time`() throws {
        let session = try cached("lee")
        let later = Timestamp(milliseconds: 120_000)
        #expect(session.markSeen(at: later, writeEvery: .minutes(1)))
        #expect(!session.markSeen(at: later + .seconds(59), writeEvery: .minutes(1)))
        #expect(session.markSeen(at: later + .seconds(60), writeEvery: .minutes(1)))
        #expect(session.lastSeen == later + .seconds(60))
        _ = session.markSeen(at: later, writeEvery: .minutes(1))
        #expect(session.lastSeen == later + .seconds(60))
    }

    @Test func `a digest keeps its bytes`() {
        let bytes = (0..<32).map { UInt8($0) }
        #expect(TokenDigest(bytes).bytes == bytes)
    }

    @Test(arguments: [
        "", "x", String(repeating: "a", count: 42), String(repeating: "a", count: 44),
        String(repeating: "a", count: 42) + "=", String(repeating: "é", count: 43),
    ])
    func `what has not the form of a token is none`(text: String) {
        #expect(SessionToken(untrusted: text) == nil)
        #expect(SessionToken(untrusted: SessionToken.random().text) != nil)
    }
}
