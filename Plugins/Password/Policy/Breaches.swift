import Crypto
public import GatehouseKit
public import WebClient

/// What is known of passwords from breaches, by their SHA-1: in a file, or from a service that is asked for a range.
///
/// The service learns the first five hexadecimal digits of the hash, which a thousand others share (k-anonymity: T. Hunt,
/// "Understanding Have I Been Pwned's use of SHA-1 and k-anonymity").
public struct Breaches: Sendable {
    private let source: Source
    private let isRequired: Bool
    private let log: Log

    public enum Source: Sendable {
        case file(BreachFile)
        /// An https URL that the five digits are put behind.
        case service(url: String, WebClient)
    }

    /// In bytes; a real answer has about a thousand lines of forty.
    private static let longestAnswer = 1 << 20
    /// Seconds; somebody is waiting.
    private static let timeout = 5

    /// - Parameter isRequired: Whether a password is turned away while the source can't be read; else it is taken, and that
    ///   is logged.
    public init(_ source: Source, isRequired: Bool, log: Log) {
        self.source = source
        self.isRequired = isRequired
        self.log = log
    }

    var asksElsewhere: Bool { if case .service = source { true } else { false } }

    func contain(_ password: [UInt8]) throws(ProviderFault) -> Bool {
        let digits = HashFunction.sha1.hash(password).flatMap(Self.digits)
        do throws(ProviderFault) {
            return try find(digits)
        } catch {
            guard !isRequired else { throw error }
            log(.error, "breached passwords can't be looked up; a password is taken all the same", ["reason": error])
            return false
        }
    }

    private static func digits(of byte: UInt8) -> [UInt8] {
        [byte >> 4, byte & 15].map { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "A") + $0 - 10 }
    }

    private func find(_ digits: [UInt8]) throws(ProviderFault) -> Bool {
        switch source {
        case .file(let file): try file.contains(digits)
        case .service(let url, let client): try Self.ask(url, client, digits)
        }
    }

    private static func ask(_ url: String, _ client: WebClient, _ digits: [UInt8]) throws(ProviderFault) -> Bool {
        let answer: [UInt8]
        do throws(WebClientFault) {
            let range = String(decoding: digits.prefix(5), as: UTF8.self)
            answer = try client.get(url + range, limit: longestAnswer, timeout: timeout, field: "Add-Padding: true")
        } catch { throw ProviderFault("ask for breached passwords", code: error.code, kind: .dependency) }
        let sought = digits.dropFirst(5)
        return answer.split(separator: UInt8(ascii: "\n")).contains { BreachLine($0)?.names(sought) ?? false }
    }
}

/// A line of either source: a hash or the end of one, a colon, and how often it was seen; never, in lines that pad an
/// answer.
struct BreachLine {
    let digits: ArraySlice<UInt8>
    private let count: ArraySlice<UInt8>

    init?(_ line: ArraySlice<UInt8>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        digits = line[..<colon]
        count = line[colon...].dropFirst()
    }

    func names(_ sought: ArraySlice<UInt8>) -> Bool {
        digits == sought && count.first != UInt8(ascii: "0")
    }
}
