import Foundation

/// wrk, which asks one address as fast as it answers.
struct Wrk {
    let port: UInt16
    let path: String
    /// Sent with each request, as a command line for wrk.
    private let arguments: [String]

    init(port: UInt16, path: String, headers: [String]) {
        self.port = port
        self.path = path
        arguments = headers.flatMap { ["-H", $0] }
    }

    /// - Parameter script: A file in Lua that makes the requests.
    init(port: UInt16, path: String, script: String) {
        self.port = port
        self.path = path
        arguments = ["-s", script]
    }

    /// What one run came to.
    struct Result {
        let requests: Double
        let requestsPerSecond: Double
        /// In seconds: what all but one in a hundred answers took at most.
        let slowestHundredth: Double
    }

    /// - Throws: if any answer was not 2xx.
    func run(connections: Int = 64, seconds: Int = 3) throws -> Result {
        let text = try Subject.run(
            "/usr/bin/wrk",
            ["-t1", "-c\(connections)", "-d\(seconds)s", "--latency"] + arguments + ["http://127.0.0.1:\(port)\(path)"],
            folder: FileManager.default.temporaryDirectory
        )
        guard !text.contains("Non-2xx") else { throw ScenarioFault(reason: "not every answer was 2xx: \(text)") }
        guard let result = Result(text) else { throw ScenarioFault(reason: "wrk said \(text)") }
        return result
    }

    /// Requests a second.
    func rate() throws -> Double { try run().requestsPerSecond }

    /// The ratio of two measures, taken in turns; the median of the rounds.
    static func ratio(rounds: Int = 5, of ours: () throws -> Double, to reference: () throws -> Double) throws -> Double
    {
        var ratios: [Double] = []
        for _ in 0..<rounds {
            let base = try reference()
            ratios.append(try ours() / base)
        }
        return ratios.sorted()[rounds / 2]
    }
}

extension Wrk.Result {
    fileprivate init?(_ text: String) {
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        func value(of name: String) -> Substring? { lines.first { $0.first == Substring(name) }?.last }
        guard let rate = value(of: "Requests/sec:").flatMap({ Double($0) }),
            let slowest = value(of: "99%").flatMap(Self.seconds),
            let requests = lines.first(where: { $0.dropFirst().first == "requests" })?.first.flatMap({ Double($0) })
        else { return nil }
        self.init(requests: requests, requestsPerSecond: rate, slowestHundredth: slowest)
    }

    /// As wrk writes them: `1.50ms`.
    private static func seconds(_ text: Substring) -> Double? {
        for (unit, factor) in [("us", 1e-6), ("ms", 1e-3), ("s", 1.0)] where text.hasSuffix(unit) {
            return Double(text.dropLast(unit.count)).map { $0 * factor }
        }
        return nil
    }
}
