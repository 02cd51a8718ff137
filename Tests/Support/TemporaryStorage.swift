import Dispatch
import Foundation
public import GatehouseCore
public import GatehouseKit
public import Storage
import Synchronization

/// A folder that goes away with its owner.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() {
        path = NSTemporaryDirectory() + "gatehouse-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A connection that is closed on another thread may take a file away first, and the removal then stops half-way.
        for _ in 0..<100 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    public var database: String { path + "/gatehouse.sqlite3" }
}

/// A clock that stands until it is moved.
public final class ManualClock: Clock {
    private let time: Atomic<Int64>

    public init(_ start: Int64 = 1_780_000_000_000) { time = Atomic(start) }

    public var now: Timestamp { Timestamp(milliseconds: time.load(ordering: .sequentiallyConsistent)) }

    public func advance(by span: Timestamp.Span) { time.add(span.milliseconds, ordering: .sequentiallyConsistent) }
}

extension SQLiteStorage {
    public convenience init(command path: String, clock: any Clock = SystemClock()) throws {
        try self.init(path: path, role: .command, clock: clock)
    }
}

extension StoredCeremony {
    public static func signIn(at now: Timestamp = SystemClock().now, lifetime: Timestamp.Span = .minutes(5))
        -> StoredCeremony
    {
        StoredCeremony(
            purpose: .signIn,
            kinds: [.password, .passkey],
            challenge: Challenge(bytes: [UInt8](repeating: 7, count: 32)),
            begunAt: now,
            expiresAt: now + lifetime
        )
    }
}

extension Account {
    public static func named(_ name: String, groups: [String] = ["staff", "admin"]) throws -> Account {
        let profile = try AccountProfile(username: name)
        return Account(
            id: .random(),
            identifier: profile.identifier,
            username: name,
            displayName: name,
            email: nil,
            userHandle: Array(name.utf8),
            groups: groups,
            createdAt: Timestamp(milliseconds: 1)
        )
    }
}

/// Runs `body` on as many threads as asked for, all at once, and returns what they returned.
public func race<Value: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> Value) -> [Value] {
    let start = DispatchSemaphore(value: 0)
    let finished = DispatchSemaphore(value: 0)
    let box = RaceResults<Value>()
    for index in 0..<count {
        spawn {
            start.wait()
            box.append(body(index))
            finished.signal()
        }
    }
    for _ in 0..<count { start.signal() }
    for _ in 0..<count { finished.wait() }
    return box.all
}

private final class RaceResults<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    func append(_ value: Value) { values.withLock { $0.append(value) } }
    var all: [Value] { values.withLock { $0 } }
}
