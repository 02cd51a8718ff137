import GatehouseCore
import GatehouseKit

/// One method on one path.
struct Route: Sendable {
    let method: HTTPMethod
    /// Segments; one in braces takes anything.
    let path: String
    let action: Action

    enum Action: Sendable {
        /// Answered on the HTTP thread, from what is in memory.
        case immediate(@Sendable (HTTPRequest) -> HTTPResponse)
        /// Answered on a worker lane.
        case job(Job)
    }

    struct Job: Sendable {
        /// Counts against the address that it comes from.
        var isThrottled = false
        var content = Content.json
        /// Which lane, seeing the body; `compute` by default.
        var lane: @Sendable (APICall) -> WorkLane = { _ in .compute }
        /// How an error is told; a problem document by default.
        var refusal: (@Sendable (SignInError, HTTPRequest) -> HTTPResponse)?
        let run: @Sendable (APICall) throws(SignInError) -> HTTPResponse
    }

    /// What the body of a request is, and who may send it.
    enum Content: Sendable {
        case json
        /// An urlencoded form of the portal's own page.
        case form
        /// An urlencoded form of whoever's page: the handler has to tell by something else than the origin whether the
        /// visitor meant it.
        case foreignForm
    }

    static func immediate(
        _ method: HTTPMethod,
        _ path: String,
        _ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) -> Route {
        Route(method: method, path: path, action: .immediate(answer))
    }

    static func job(
        _ method: HTTPMethod,
        _ path: String,
        isThrottled: Bool = false,
        _ run: @escaping @Sendable (APICall) throws(SignInError) -> HTTPResponse
    ) -> Route {
        Route(method: method, path: path, action: .job(Job(isThrottled: isThrottled, run: run)))
    }
}

/// Finds the route of a request.
///
/// A path has one spelling: nothing is decoded or normalised, so a variant of a path is another path, and unknown.
struct RouteTable: Sendable {
    let routes: [Route]
    enum Match {
        case route(Route.Action, parameters: [String])
        case methodNotAllowed([HTTPMethod])
        case notFound
    }

    private let exact: [String: [HTTPMethod: Route.Action]]
    private let patterns: [(segments: [Substring], actions: [HTTPMethod: Route.Action])]

    init(_ routes: [Route]) {
        self.routes = routes
        var table: [String: [HTTPMethod: Route.Action]] = [:]
        for route in routes { table[route.path, default: [:]][route.method] = route.action }
        exact = table.filter { !$0.key.contains("{") }
        patterns = table.filter { $0.key.contains("{") }
            .map { (Self.segments($0.key), $0.value) }
    }

    /// - Parameter path: Raw, without the query.
    func find(_ method: HTTPMethod, _ path: Substring) -> Match {
        if let actions = exact[String(path)] { return Self.pick(method, actions, []) }
        let segments = Self.segments(path)
        for (pattern, actions) in patterns {
            guard let parameters = Self.match(pattern, segments) else { continue }
            return Self.pick(method, actions, parameters)
        }
        return .notFound
    }

    private static func pick(
        _ method: HTTPMethod,
        _ actions: [HTTPMethod: Route.Action],
        _ parameters: [String]
    ) -> Match {
        // RFC 9110 §9.3.2: HEAD is GET without the content.
        let asked = method == .head && actions[.head] == nil ? .get : method
        guard let action = actions[asked] else { return .methodNotAllowed(Array(actions.keys)) }
        return .route(action, parameters: parameters)
    }

    private static func match(_ pattern: [Substring], _ segments: [Substring]) -> [String]? {
        guard pattern.count == segments.count else { return nil }
        var parameters: [String] = []
        for (expected, found) in zip(pattern, segments) {
            if expected.hasPrefix("{") { parameters.append(String(found)) } else if expected != found { return nil }
        }
        return parameters
    }

    private static func segments(_ path: some StringProtocol) -> [Substring] {
        Substring(path).split(separator: "/", omittingEmptySubsequences: false)
    }
}
