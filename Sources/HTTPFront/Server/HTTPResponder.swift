/// What answers requests; the server knows nothing of routes.
///
/// Calls come from the server's threads, several at once. None may block: every other connection of that thread waits.
public protocol HTTPResponder: Sendable {
    /// Decides what is done with a body that a request announces. Asked when the head is in, and only if there is one.
    func bodyPolicy(for head: HTTPRequest) -> BodyPolicy

    /// Answers a request whose body, if any was wanted, is in.
    func respond(to request: HTTPRequest) -> HTTPReply

    /// Renders what the server itself has to say. It closes the connection afterwards.
    ///
    /// Must not call back into the server: it may hold a lock of the connection.
    func refuse(_ problem: ServerRefusal, requestID: String) -> HTTPResponse
}

public enum BodyPolicy: Equatable, Sendable {
    /// Answer at once, whatever was announced; the body is never read, and the connection closes.
    case ignored
    /// Read up to so many bytes; more is ``ServerRefusal/bodyTooLarge``.
    case upTo(Int)
}

public enum HTTPReply {
    case now(HTTPResponse)

    /// The answer comes later, from another thread.
    ///
    /// The connection is suspended before the closure is called, and waits without a deadline: the job has its own. The
    /// first call of `resume` answers, others are ignored. Letting go of `resume` without a call closes the connection.
    case later(@Sendable (_ resume: @escaping @Sendable (HTTPResponse) -> Void) -> Void)
}

/// Why the server answered without asking.
public enum ServerRefusal: Sendable, CaseIterable {
    /// Contradictory, ambiguous or unprintable.
    case badRequest
    case timeout
    case bodyTooLarge
    case headersTooLarge
    case tooManyConnections

    public var status: Int {
        switch self {
        case .badRequest: 400
        case .timeout: 408
        case .bodyTooLarge: 413
        case .headersTooLarge: 431
        case .tooManyConnections: 503
        }
    }
}
