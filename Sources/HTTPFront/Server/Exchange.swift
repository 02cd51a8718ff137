import CMicroHTTPD
import Synchronization
import Wire

/// One request and its answer, from the first line until the answer was sent.
///
/// libmicrohttpd holds the one owning reference between its first and its last callback for the request; a
/// ``HTTPRequest`` that is kept beyond that finds no headers any more.
@safe
final class Exchange: @unchecked Sendable {
    // Constant.
    let connection: PeerConnection
    let target: String
    /// Bytes of the target up to its first NUL, even where `target` is empty because they aren't text.
    let targetByteCount: Int
    private let sequence: UInt64

    // Touched by the connection's HTTP thread only.
    var stage = Stage.head
    var method = HTTPMethod.get
    var upload = Upload(limit: 0)

    // Sound: libmicrohttpd keeps the connection's memory until the request was answered, and `handle` is taken away,
    // under the lock, before it is.
    private let state: Mutex<State>

    enum Stage {
        /// The head was not yet looked at.
        case head
        case body
        /// Refused while the body was arriving: what still comes is thrown away.
        case refused
        /// The answer was asked for, and may be there.
        case answering
    }

    @safe
    private struct State: @unchecked Sendable {
        // Sound: an address, used under the lock only.
        var handle: OpaquePointer?
        var isSuspended = false
        var answer: HTTPResponse?
    }

    init(_ handle: OpaquePointer, connection: PeerConnection, target: UnsafeBufferPointer<UInt8>) {
        self.connection = connection
        self.target = unsafe Self.text(target) ?? ""
        targetByteCount = target.count
        sequence = connection.nextSequence()
        unsafe state = Mutex(State(handle: handle))
    }

    /// The target as text, if it is that and has neither white space nor control characters.
    private static func text(_ target: UnsafeBufferPointer<UInt8>) -> String? {
        guard unsafe !target.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return nil }
        return unsafe String(validating: target, as: UTF8.self)
    }

    var requestID: String { Self.id(of: connection, request: sequence) }

    /// The serial of the connection and the place of the request on it, mixed so that traffic can't be read from them.
    static func id(of connection: PeerConnection, request: UInt64) -> String {
        let words = [connection.serialSeed, mixed(connection.serial << 24 ^ request)]
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        return Base64URL(bytes: bytes).text
    }

    func header(_ name: StaticString) -> HTTPRequest.HeaderValue {
        state.withLock { state in
            guard let handle = unsafe state.handle else { return .absent }
            return unsafe RequestHeaders(handle).value(of: name)
        }
    }

    var headers: [(name: String, value: String)] {
        state.withLock { state in
            guard let handle = unsafe state.handle else { return [] }
            return unsafe RequestHeaders(handle).all
        }
    }
}

/// Suspension, and the end.
extension Exchange {
    /// Ends access to the headers: the answer is known.
    func close() {
        state.withLock { unsafe $0.handle = nil }
    }

    /// Takes the connection out of its thread's loop until it is answered.
    ///
    /// - Returns: `false` when the server is stopping, and won't wait.
    func suspend(unless isStopping: () -> Bool) -> Bool {
        state.withLock { state in
            guard let handle = unsafe state.handle, !isStopping() else { return false }
            state.isSuspended = true
            unsafe MHD_suspend_connection(handle)
            return true
        }
    }

    /// Resumes the connection with an answer, or without one to have it closed.
    ///
    /// Only the first call counts. Resumes under the lock, so that whoever stops the server knows that no thread is
    /// still about to.
    func resume(with answer: HTTPResponse?) {
        state.withLock { state in
            guard state.isSuspended, let handle = unsafe state.handle else { return }
            state.isSuspended = false
            state.answer = answer
            unsafe state.handle = nil
            unsafe MHD_resume_connection(handle)
        }
    }

    /// The answer that the connection was resumed with; `nil` if it is to be closed.
    func takeAnswer() -> HTTPResponse? {
        state.withLock { state in
            defer { state.answer = nil }
            return state.answer
        }
    }

    /// What a job gets to answer with.
    func makeResume() -> @Sendable (HTTPResponse) -> Void {
        let promise = Promise(self)
        return { promise.exchange.resume(with: $0) }
    }

    /// Closes the connection when the job let go of it without an answer.
    private final class Promise: Sendable {
        let exchange: Exchange
        init(_ exchange: Exchange) { self.exchange = exchange }
        deinit { exchange.resume(with: nil) }
    }
}

/// The finalizer of splitmix64: different numbers in, different numbers out.
private func mixed(_ number: UInt64) -> UInt64 {
    var z = number
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
}

/// A body as it arrives.
struct Upload {
    let limit: Int
    private(set) var bytes: [UInt8] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// - Returns: `false`, without keeping anything, when it would be more than the limit.
    mutating func append(_ part: UnsafeRawBufferPointer) -> Bool {
        guard part.count <= limit - bytes.count else {
            bytes = []
            return false
        }
        unsafe bytes.append(contentsOf: part)
        return true
    }
}
