import Dispatch
import FoundationEssentials
public import GatehouseKit
public import WebAuthn
public import WebClient

/// Keeps metadata up to date: from a file, and with an address from there, by way of the file.
///
/// What can't be read or fetched leaves what is known as it is, and is logged.
public final class MetadataKeeper: Sendable {
    public let metadata: AuthenticatorMetadata

    private let source: MetadataSource
    private let client: WebClient
    private let clock: any Clock
    private let log: Log
    private let stopping = DispatchSemaphore(value: 0)

    /// How often the file is looked at, and how soon what failed is tried again.
    private static let shortPause = Timestamp.Span.seconds(60)
    /// Seconds; the real document has ten megabytes.
    private static let fetchTimeout = 300

    /// - Parameter statuses: A model with one of these among its reports is not trusted.
    public init(
        _ source: MetadataSource,
        refusing statuses: Set<AuthenticatorStatus>,
        client: WebClient,
        clock: any Clock,
        log: Log
    ) {
        self.source = source
        metadata = AuthenticatorMetadata(refusing: statuses)
        self.client = client
        self.clock = clock
        self.log = log
    }

    /// Reads the file, and goes on renewing until ``stop()``; for a thread of its own.
    public func run() {
        var seen = source.written
        load()
        var pause = source.url == nil ? Self.shortPause : untilDue(seen)
        while stopping.wait(timeout: .now() + .milliseconds(Int(pause.milliseconds))) == .timedOut {
            if let url = source.url {
                pause = fetch(url) ? source.refresh : min(source.refresh, Self.shortPause)
            } else if source.written != seen {
                seen = source.written
                load()
            }
        }
    }

    public func stop() { stopping.signal() }

    /// How long the issue in the file is good for.
    private func untilDue(_ written: Date?) -> Timestamp.Span {
        guard let written, metadata.current != nil else { return .seconds(0) }
        let age = Int64(Date.now.timeIntervalSince(written) * 1_000)
        return Timestamp.Span(milliseconds: min(max(0, source.refresh.milliseconds - age), source.refresh.milliseconds))
    }

    private func load() {
        do throws(MetadataProblem) {
            if let issue = try source.kept(at: clock.now) { try take(issue) }
        } catch { log(.error, "authenticator metadata is refused", ["reason": error.reason]) }
    }

    /// - Returns: Whether what came is in use.
    private func fetch(_ url: String) -> Bool {
        let text: [UInt8]
        do throws(WebClientFault) {
            text = try client.get(url, limit: MetadataBLOB.maximumSize, timeout: Self.fetchTimeout)
        } catch {
            log(.error, "authenticator metadata can't be fetched", ["reason": error.reason, "code": error.code])
            return false
        }
        do throws(MetadataProblem) {
            try take(try source.verified(text, at: clock.now))
        } catch {
            log(.error, "authenticator metadata is refused", ["reason": error.reason])
            return false
        }
        if !source.write(text) { log(.error, "authenticator metadata can't be written; is its folder writable?") }
        return true
    }

    private func take(_ issue: MetadataBLOB) throws(MetadataProblem) {
        do { try metadata.replace(with: issue) } catch { throw .refused(error) }
        log(
            .notice,
            "authenticator metadata is in use",
            ["number": issue.number, "models": issue.count, "unreadable": issue.unreadableCount]
        )
        if issue.nextUpdate < clock.now.milliseconds / 1_000 {
            log(.error, "authenticator metadata is past the day of its next update")
        }
    }
}

extension WebClientFault {
    fileprivate var reason: StaticString {
        switch self {
        case .failed: "no answer (the code is curl's)"
        case .status: "the answer has another status than 200"
        case .tooLarge: "the answer is too large"
        }
    }
}
