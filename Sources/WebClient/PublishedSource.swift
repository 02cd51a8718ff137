import FoundationEssentials
public import GatehouseKit

/// Where a document comes from that others publish and renew.
public struct PublishedSource: Sendable {
    /// With an address each issue is written there, so that a restart needs no network.
    public let file: String
    /// An https URL; `nil` where somebody else renews the file.
    public let url: String?
    /// How long an issue is good before the next one is fetched.
    public let refresh: Timestamp.Span

    public init(file: String, url: String?, refresh: Timestamp.Span) {
        self.file = file
        self.url = url
        self.refresh = refresh
    }

    /// What is in the file.
    ///
    /// - Returns: `nil` if there is no file yet, as before the first issue is fetched.
    public func kept() throws(DocumentProblem) -> [UInt8]? {
        guard written != nil else {
            if url == nil { throw DocumentProblem("there is no such file") }
            return nil
        }
        guard let text = try? Data(contentsOf: URL(filePath: file)) else {
            throw DocumentProblem("the file can't be read")
        }
        return [UInt8](text)
    }

    /// When the file was written; `nil` if there is none.
    var written: Date? {
        (try? FileManager.default.attributesOfItem(atPath: file))?[.modificationDate] as? Date
    }

    func write(_ text: [UInt8]) -> Bool {
        (try? Data(text).write(to: URL(filePath: file), options: .atomic)) != nil
    }
}

/// Why an issue is not in use.
public struct DocumentProblem: Error, Sendable {
    public let reason: StaticString

    public init(_ reason: StaticString) { self.reason = reason }
}

/// What the newest issue of a document says, shared by all who ask.
public protocol PublishedDocument: Sendable {
    /// What it is called in the log.
    var name: StaticString { get }
    /// In bytes.
    var maximumSize: Int { get }
    /// Whether there is an issue in use.
    var isKnown: Bool { get }

    /// Takes an issue in place of the one before, and says so in the log.
    func take(_ text: [UInt8], at now: Timestamp, _ log: Log) throws(DocumentProblem)
}
