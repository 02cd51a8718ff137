import FoundationEssentials
public import GatehouseKit
import Synchronization
public import WebClient
import Wire

/// Which of Android's attestation keys were revoked (android.googleapis.com/attestation/status).
///
/// The list isn't signed: what makes it Google's is the host it was fetched from.
public final class AndroidKeyStatus: PublishedDocument {
    public let name: StaticString = "android key status"
    public let maximumSize = 16 << 20

    private let revoked = Mutex<Set<String>?>(nil)

    public init() {}

    public var isKnown: Bool { revoked.withLock { $0 != nil } }

    public func take(_ text: [UInt8], at now: Timestamp, _ log: Log) throws(DocumentProblem) {
        let serials = try Self.serials(in: text)
        revoked.withLock { $0 = serials }
        log(.notice, "android key status is in use", ["keys": serials.count])
    }

    /// The serial numbers of all entries.
    ///
    /// An entry is REVOKED or SUSPENDED; whatever else may stand there one day is not trusted either.
    static func serials(in text: [UInt8]) throws(DocumentProblem) -> Set<String> {
        do {
            try StrictJSON.check(text)
            let list = try JSONDecoder().decode(StatusList.self, from: Data(text))
            return Set(list.entries.keys.map { $0.lowercased().trimmed })
        } catch { throw DocumentProblem("not a status list") }
    }

    private struct StatusList: Decodable {
        let entries: [String: Entry]
        struct Entry: Decodable { let status: String }
    }

    /// - Parameter serials: As certificates encode them.
    /// - Returns: `nil` as long as there is no list.
    func revokes(anyOf serials: [[UInt8]]) -> Bool? {
        let names = serials.map { Hexadecimal.text($0).trimmed }
        return revoked.withLock { revoked in revoked.map { names.contains(where: $0.contains) } }
    }
}

extension String {
    /// Without the zeros that some write before a number.
    fileprivate var trimmed: String { String(drop { $0 == "0" }) }
}
