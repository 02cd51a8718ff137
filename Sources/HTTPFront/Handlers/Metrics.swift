import GatehouseCore
import GatehouseKit
import Synchronization

/// Counters in Prometheus' text format.
public final class Metrics: Sendable {
    private let refusals = Mutex<[ProblemCode: Int]>([:])
    private let outages = Mutex<[ProblemCode: Int]>([:])
    private let checks: [CheckOutcome: CheckCounter]

    /// How an access check ended.
    enum CheckOutcome: String, CaseIterable, Sendable {
        case allowed
        case signIn = "sign_in"
        case stepUp = "step_up"
        case forbidden
        case malformed
        case throttled
        case unavailable
    }

    private final class CheckCounter: Sendable {
        let count = Atomic<Int>(0)
    }

    public init() {
        checks = Dictionary(uniqueKeysWithValues: CheckOutcome.allCases.map { ($0, CheckCounter()) })
    }

    /// A refusal counts against visitors, an outage against us.
    func count(_ error: SignInError) {
        let code = Problem.code(of: error)
        switch error {
        case .refused: refusals.withLock { $0[code, default: 0] += 1 }
        case .unavailable: outages.withLock { $0[code, default: 0] += 1 }
        }
    }

    func count(check outcome: CheckOutcome) {
        checks[outcome]?.count.add(1, ordering: .relaxed)
    }

    /// Prometheus' text exposition format, version 0.0.4.
    var exposition: String {
        var lines = ["# TYPE gatehouse_checks_total counter"]
        for outcome in CheckOutcome.allCases {
            let count = checks[outcome]?.count.load(ordering: .relaxed) ?? 0
            lines.append("gatehouse_checks_total{outcome=\"\(outcome.rawValue)\"} \(count)")
        }
        lines += Self.family("gatehouse_refusals_total", refusals.withLock { $0 })
        lines += Self.family("gatehouse_outages_total", outages.withLock { $0 })
        return lines.joined(separator: "\n") + "\n"
    }

    private static func family(_ name: String, _ counts: [ProblemCode: Int]) -> [String] {
        ["# TYPE \(name) counter"]
            + counts.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\(name){code=\"\($0.key.rawValue)\"} \($0.value)" }
    }
}

/// Answers the operations listener: health and metrics.
public struct OperationsResponder: HTTPResponder {
    private let table: RouteTable
    private let services: Services

    public init(services: Services, metrics: Metrics) {
        self.services = services
        table = RouteTable(
            HealthHandlers(storage: services.storage).routes + [
                .immediate(.get, "/metrics") { _ in
                    HTTPResponse(
                        200,
                        headers: [("Content-Type", "text/plain; version=0.0.4")],
                        body: .bytes(Array(metrics.exposition.utf8))
                    )
                }
            ]
        )
    }

    public func bodyPolicy(for head: HTTPRequest) -> BodyPolicy { .ignored }

    public func refuse(_ problem: ServerRefusal, requestID: String) -> HTTPResponse {
        Problem(problem, requestID: requestID).response
    }

    public func respond(to request: HTTPRequest) -> HTTPReply {
        let id = request.requestID
        switch table.find(request.method, request.target.prefix { $0 != "?" }) {
        case .notFound: return .now(Problem(.notFound, requestID: id).response)
        case .methodNotAllowed: return .now(Problem(.methodNotAllowed, requestID: id).response)
        case .route(.immediate(let answer), _): return .now(answer(request))
        case .route(.job, _):
            return .later { [services] resume in
                let isAccepted = services.lanes[.compute].submit { _ in resume(Self.ready(services.storage, id)) }
                if !isAccepted { resume(Problem(.overloaded, requestID: id, remedy: .retryAfter(1)).response) }
            }
        }
    }

    private static func ready(_ storage: any Storage, _ requestID: String) -> HTTPResponse {
        do throws(SignInError) {
            try storage.checkReady()
            return JSONReply.ok(["status": "ready"])
        } catch {
            return Problem(error, requestID: requestID).response
        }
    }
}
