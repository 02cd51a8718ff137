import Crypto
import Dispatch
import FoundationEssentials
public import GatehouseKit
public import WebAuthn
public import WebClient

/// Keeps metadata up to date: from a file, and with an address from there, by way of the file.
///
/// What can't be read or fetched leaves what is known as it is, and is logged.
public final class MetadataKeeper: Sendable {
    /// Where metadata comes from.
    public struct Source: Sendable {
        /// The signed BLOB. With an address each issue is written there, so that a restart needs no network.
        public let file: String
        /// An https URL; `nil` where somebody else renews the file.
        public let url: String?
        /// How long an issue is good before the next one is fetched.
        public let refresh: Timestamp.Span
        public let signer: MetadataSigner

        public init(file: String, url: String?, refresh: Timestamp.Span, signer: MetadataSigner) {
            self.file = file
            self.url = url
            self.refresh = refresh
            self.signer = signer
        }
    }

    public let metadata: AuthenticatorMetadata

    private let source: Source
    private let client: WebClient
    private let clock: any Clock
    private let log: Log
    private let stopping = DispatchSemaphore(value: 0)

    /// How often the file is looked at, and how soon what failed is tried again.
    private static let shortPause = Timestamp.Span.seconds(60)
    /// Seconds; the real document has twelve megabytes.
    private static let fetchTimeout = 300

    /// - Parameter statuses: A model with one of these among its reports is not trusted.
    public init(
        _ source: Source,
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
        var seen = load(after: nil)
        var pause = source.url == nil ? Self.shortPause : untilDue(seen)
        while stopping.wait(timeout: .now() + .milliseconds(Int(pause.milliseconds))) == .timedOut {
            if source.url == nil {
                seen = load(after: seen)
            } else {
                pause = fetch() ? source.refresh : min(source.refresh, Self.shortPause)
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
}

extension MetadataKeeper {
    /// Reads the file if it was written since.
    ///
    /// - Returns: When it was written; `nil` if there is none.
    private func load(after seen: Date?) -> Date? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: source.file)
        guard let written = attributes?[.modificationDate] as? Date else {
            // With an address the first issue is still to come.
            if source.url == nil { log(.error, "authenticator metadata can't be read: there is no such file") }
            return nil
        }
        guard written != seen else { return seen }
        guard let text = try? Data(contentsOf: URL(filePath: source.file)) else {
            log(.error, "authenticator metadata can't be read")
            return seen
        }
        _ = take([UInt8](text))
        return written
    }

    /// - Returns: Whether there is an issue that is as new as it gets.
    private func fetch() -> Bool {
        guard let url = source.url else { return true }
        let text: [UInt8]
        do throws(WebClientFault) {
            text = try client.get(url, limit: MetadataBLOB.maximumSize, timeout: Self.fetchTimeout)
        } catch {
            log(.error, "authenticator metadata can't be fetched", ["reason": error.reason, "code": error.code])
            return false
        }
        guard take(text) else { return false }
        do {
            try Data(text).write(to: URL(filePath: source.file), options: .atomic)
        } catch { log(.error, "authenticator metadata can't be written; is its folder writable?") }
        return true
    }

    /// Verifies an issue and takes it in place of the one before.
    private func take(_ text: [UInt8]) -> Bool {
        let now = clock.now.milliseconds / 1_000
        do throws(MetadataFault) {
            let issue = try MetadataBLOB(verifying: text, by: source.signer, at: now)
            try metadata.replace(with: issue)
            log(
                .notice,
                "authenticator metadata is in use",
                ["number": issue.number, "models": issue.count, "unreadable": issue.unreadableCount]
            )
            if issue.nextUpdate < now { log(.error, "authenticator metadata is older than it should be") }
            return true
        } catch {
            log(.error, "authenticator metadata is refused", ["reason": error.reason])
            return false
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

    fileprivate var code: Int {
        switch self {
        case .failed(let code), .status(let code): code
        case .tooLarge: 0
        }
    }
}

extension MetadataFault {
    fileprivate var reason: StaticString {
        switch self {
        case .size: "too large"
        case .malformed: "not a signed BLOB of metadata"
        case .header: "its header names no certificates, or asks for what is not supported"
        case .algorithm: "signed with an algorithm that is not supported"
        case .signer(.expired): "the signer's certificate has expired"
        case .signer(.host): "the signer's certificate is for another host"
        case .signer: "the signer's certificate leads to no trusted root"
        case .signature: "the signature is wrong"
        case .older: "older than the one in use"
        }
    }
}
