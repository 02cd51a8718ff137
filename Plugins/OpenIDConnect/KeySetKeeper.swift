import Dispatch
public import GatehouseKit
import Synchronization
public import WebClient

/// Keeps an issuer's keys at hand, so that hardly a sign-in has to wait for them.
///
/// They are fetched at the start and every so often. A token that names a key which isn't there has them fetched once more,
/// as issuers change keys; not more often than the cool-down allows, as anybody can name a key.
public final class KeySetKeeper: Sendable {
    private struct State {
        var keys: TokenKeySet?
        var fetchedAt: Timestamp?
        /// When a token last had the keys fetched.
        var demandedAt: Timestamp?
        var hasFailed = false
    }

    private let source: KeySetSource
    private let fetch: @Sendable (_ url: String) throws(WebClientFault) -> [UInt8]
    private let clock: any Clock
    private let log: Log
    private let state = Mutex(State())
    /// Held while keys are fetched: whoever waits for it finds them there.
    private let fetching = Mutex(())
    private let stopping = DispatchSemaphore(value: 0)

    /// - Parameter fetch: Gets the body of a document; blocks, for seconds at the most.
    public init(
        _ source: KeySetSource,
        clock: any Clock,
        log: Log,
        fetch: @escaping @Sendable (_ url: String) throws(WebClientFault) -> [UInt8]
    ) {
        self.source = source
        self.clock = clock
        self.log = log
        self.fetch = fetch
    }

    /// Keeps the keys fresh until ``stop()``; for a thread of its own.
    public func run() {
        repeat {
            fetching.withLock { _ in renew() }
        } while stopping.wait(timeout: .now() + .milliseconds(Int(pause.milliseconds))) == .timedOut
    }

    public func stop() { stopping.signal() }

    private var pause: Timestamp.Span {
        state.withLock { $0.hasFailed } ? min(source.refresh, source.cooldown) : source.refresh
    }

    /// The keys with an ID as far as they are in memory; none of them is past its age.
    func keysAtHand(named id: String, for algorithm: TokenAlgorithm) -> [TokenKey] {
        let now = clock.now
        return state.withLock { state in
            guard let keys = state.keys, let fetchedAt = state.fetchedAt, now - fetchedAt <= source.maximumAge else {
                return []
            }
            return keys.keys(named: id, for: algorithm)
        }
    }

    /// The keys with an ID; fetches them if need be, which blocks.
    ///
    /// - Returns: none if the issuer has none, by a set that is no older than the cool-down.
    /// - Throws: ``ProviderFault`` of a dependency if that can't be known.
    func keys(named id: String, for algorithm: TokenAlgorithm) throws(ProviderFault) -> [TokenKey] {
        let present = keysAtHand(named: id, for: algorithm)
        guard present.isEmpty else { return present }
        let found = fetching.withLock { _ in
            let fetchedMeanwhile = keysAtHand(named: id, for: algorithm)
            guard fetchedMeanwhile.isEmpty, mayFetch() else { return fetchedMeanwhile }
            renew()
            return keysAtHand(named: id, for: algorithm)
        }
        guard found.isEmpty, !isCurrent else { return found }
        throw ProviderFault("fetch an issuer's keys", code: 0, kind: .dependency)
    }

    /// Whether the keys that there are can be all that there are.
    private var isCurrent: Bool {
        let now = clock.now
        return state.withLock { state in
            guard let fetchedAt = state.fetchedAt else { return false }
            return !state.hasFailed && now - fetchedAt <= source.maximumAge
        }
    }

    /// Takes the one demand of a cool-down.
    private func mayFetch() -> Bool {
        let now = clock.now
        return state.withLock { state in
            if let last = state.demandedAt, now - last < source.cooldown { return false }
            state.demandedAt = now
            return true
        }
    }

    /// What fails leaves the keys that there are.
    private func renew() {
        let keys: TokenKeySet?
        do throws(WebClientFault) {
            keys = TokenKeySet(parsing: try fetch(source.url))
            if keys == nil { log(.error, "an issuer's keys can't be read", ["issuer": source.kind]) }
        } catch {
            keys = nil
            log(.error, "an issuer's keys can't be fetched", ["issuer": source.kind, "code": error.code])
        }
        let now = clock.now
        state.withLock { state in
            state.hasFailed = keys == nil
            guard let keys else { return }
            state.keys = keys
            state.fetchedAt = now
        }
    }
}

/// Where an issuer's keys come from, and how long they are good.
public struct KeySetSource: Equatable, Sendable {
    /// Whose they are, for the log.
    public let kind: CredentialKind
    /// An https URL.
    public let url: String
    /// How often they are fetched without a reason.
    public let refresh: Timestamp.Span
    /// How long tokens with unknown keys have nothing fetched after one had.
    public let cooldown: Timestamp.Span
    /// How long they are good while there are no newer ones.
    public let maximumAge: Timestamp.Span

    public init(
        kind: CredentialKind,
        url: String,
        refresh: Timestamp.Span = .hours(1),
        cooldown: Timestamp.Span = .seconds(60),
        maximumAge: Timestamp.Span = .days(1)
    ) {
        self.kind = kind
        self.url = url
        self.refresh = refresh
        self.cooldown = cooldown
        self.maximumAge = maximumAge
    }
}

extension WebClientFault {
    /// libcurl's, or the status of the answer.
    var code: Int {
        switch self {
        case .failed(let code), .status(let code): code
        case .tooLarge: 0
        }
    }
}
