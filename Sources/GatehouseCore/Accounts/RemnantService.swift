import Dispatch
public import GatehouseKit

/// What a deleted credential left, to be ended by its provider at another host.
public struct StoredRemnant: Equatable, Sendable {
    /// Both are gone.
    public let credential: CredentialID
    public let account: AccountID
    public let kind: CredentialKind
    public let content: [UInt8]
    /// How often it failed.
    public let attempts: Int64

    public init(credential: CredentialID, account: AccountID, kind: CredentialKind, content: [UInt8], attempts: Int64) {
        self.credential = credential
        self.account = account
        self.kind = kind
        self.content = content
        self.attempts = attempts
    }
}

/// Ends what deleted credentials left at other hosts, after they are gone here, and for as long as it takes.
///
/// Nobody who deletes something waits for another host, and no outage there keeps anything alive here.
public final class RemnantService: Sendable {
    private let storage: any Storage
    private let registry: ProviderRegistry
    private let clock: any Clock
    private let log: Log
    private let stopping = DispatchSemaphore(value: 0)

    /// Commands in other processes delete as well, so it is looked for.
    private static let interval = DispatchTimeInterval.seconds(2)
    private static let batch = 16
    /// After the first failure; doubled by each further one.
    private static let firstPause = Timestamp.Span.seconds(5)
    private static let longestPause = Timestamp.Span.hours(12)
    /// More than a month of tries.
    private static let attempts: Int64 = 80

    public init(storage: any Storage, registry: ProviderRegistry, clock: any Clock, log: Log) {
        self.storage = storage
        self.registry = registry
        self.clock = clock
        self.log = log
    }

    /// Goes on until ``stop()``; for a thread of its own.
    public func run() {
        repeat {
            do throws(SignInError) { try endDue() } catch {
                log(.error, "what deleted credentials left can't be looked up")
            }
        } while stopping.wait(timeout: .now() + Self.interval) == .timedOut
    }

    public func stop() { stopping.signal() }

    /// Ends what is due, once.
    func endDue() throws(SignInError) {
        let now = clock.now
        let due = try storage.look { (reader) throws(ProviderFault) in
            try reader.remnants(dueAt: now, limit: Self.batch)
        }
        for remnant in due { try end(remnant) }
    }

    private func end(_ remnant: StoredRemnant) throws(SignInError) {
        do throws(SignInError) {
            guard let provider = registry[remnant.kind] as? any RevokingProvider else {
                throw SignInError.unavailable(ProviderFault("find the provider", code: 0))
            }
            try provider.revoke(remnant.content)
        } catch {
            return try settle(remnant, after: error)
        }
        try close(remnant, .credentialRevoked)
    }

    private func settle(_ remnant: StoredRemnant, after error: SignInError) throws(SignInError) {
        switch error {
        case .refused(let refusal): try close(remnant, .revocationFailed, reason: refusal.reason)
        case .unavailable where remnant.attempts + 1 >= Self.attempts:
            try close(remnant, .revocationFailed, reason: "the other host could not be reached for too long")
        case .unavailable(let fault):
            log(.error, "a deleted credential can't be revoked yet", ["kind": remnant.kind, "fault": fault])
            let due = clock.now + Self.pause(after: remnant.attempts)
            try storage.write { writer in try writer.postponeRemnant(of: remnant.credential, until: due) }
        }
    }

    private static func pause(after attempts: Int64) -> Timestamp.Span {
        let doubled = firstPause.milliseconds << min(max(0, attempts), 20)
        return min(Timestamp.Span(milliseconds: doubled), longestPause)
    }

    private func close(
        _ remnant: StoredRemnant,
        _ action: AuditEvent.Action,
        reason: Refusal.Reason? = nil
    ) throws(SignInError) {
        if let reason { log(.error, "a deleted credential was not revoked", ["kind": remnant.kind, "reason": reason]) }
        let event = AuditEvent(
            at: clock.now,
            action: action,
            account: remnant.account,
            credential: remnant.credential,
            kind: remnant.kind,
            reason: reason?.description
        )
        try storage.write { writer in
            try writer.deleteRemnant(of: remnant.credential)
            try writer.append(event)
        }
    }
}
