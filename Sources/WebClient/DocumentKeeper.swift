import Dispatch
import FoundationEssentials
public import GatehouseKit

/// Keeps a document up to date: from a file, and with an address from there, by way of the file.
///
/// What can't be read or fetched leaves what is known as it is, and is logged.
public final class DocumentKeeper: Sendable {
    private let document: any PublishedDocument
    private let source: PublishedSource
    private let client: WebClient
    private let clock: any Clock
    private let log: Log
    private let stopping = DispatchSemaphore(value: 0)

    /// How often the file is looked at, and how soon what failed is tried again.
    private static let shortPause = Timestamp.Span.seconds(60)
    /// Seconds; the FIDO Alliance's metadata has ten megabytes.
    private static let fetchTimeout = 300

    public init(
        _ document: any PublishedDocument,
        from source: PublishedSource,
        client: WebClient,
        clock: any Clock,
        log: Log
    ) {
        self.document = document
        self.source = source
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
        guard let written, document.isKnown else { return .seconds(0) }
        let age = Int64(Date.now.timeIntervalSince(written) * 1_000)
        return Timestamp.Span(milliseconds: min(max(0, source.refresh.milliseconds - age), source.refresh.milliseconds))
    }

    private func load() {
        do throws(DocumentProblem) {
            if let text = try source.kept() { try document.take(text, at: clock.now, log) }
        } catch { refuse(error) }
    }

    /// - Returns: Whether what came is in use.
    private func fetch(_ url: String) -> Bool {
        let text: [UInt8]
        do throws(WebClientFault) {
            text = try client.get(url, limit: document.maximumSize, timeout: Self.fetchTimeout)
        } catch {
            log(
                .error,
                "a document can't be fetched",
                ["document": document.name, "reason": error.reason, "code": error.code]
            )
            return false
        }
        do throws(DocumentProblem) {
            try document.take(text, at: clock.now, log)
        } catch {
            refuse(error)
            return false
        }
        if !source.write(text) {
            log(.error, "a document can't be written; is its folder writable?", ["document": document.name])
        }
        return true
    }

    private func refuse(_ problem: DocumentProblem) {
        log(.error, "a document is refused", ["document": document.name, "reason": problem.reason])
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
