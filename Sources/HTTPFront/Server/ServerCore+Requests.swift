import CMicroHTTPD

/// What happens to a request, in the order that libmicrohttpd calls.
///
/// An answer that is queued when only the head is in closes the connection afterwards (0.9.75), since a body may follow.
/// So a request without a body is answered at the second call, when it is complete, and the connection stays.
extension ServerCore {
    func headArrived(_ exchange: Exchange, _ handle: OpaquePointer, _ head: HeadScan?) -> MHD_Result {
        guard let head else { return unsafe refuse(exchange, handle, .badRequest) }
        if let problem = unsafe problem(exchange, handle, head) { return unsafe refuse(exchange, handle, problem) }
        exchange.stage = .body
        guard head.announcement != .nothing else { return .YES }
        switch responder.bodyPolicy(for: HTTPRequest(exchange, method: exchange.method, body: [])) {
        case .ignored: return unsafe answer(exchange, handle)
        case .upTo(let limit): return unsafe receive(exchange, handle, head.announcement, limit: limit)
        }
    }

    private func problem(_ exchange: Exchange, _ handle: OpaquePointer, _ head: HeadScan) -> ServerRefusal? {
        guard unsafe mhd_head_size_of(handle) <= limits.headerBytes else { return .headersTooLarge }
        guard head.headerCount <= limits.headerCount else { return .headersTooLarge }
        guard !exchange.target.isEmpty, exchange.targetByteCount <= limits.targetBytes else { return .badRequest }
        return nil
    }

    /// Lets the body come; libmicrohttpd now sends `100 Continue` to a client that waits for it.
    private func receive(
        _ exchange: Exchange,
        _ handle: OpaquePointer,
        _ announcement: HeadScan.Announcement,
        limit: Int
    ) -> MHD_Result {
        if case .length(let length) = announcement, length > limit {
            return unsafe refuse(exchange, handle, .bodyTooLarge)
        }
        exchange.upload = Upload(limit: limit)
        return exchange.connection.enter(.body) ? .YES : .NO
    }

    func bodyArrived(_ exchange: Exchange, _ part: UnsafeRawBufferPointer) -> MHD_Result {
        guard exchange.stage == .body, unsafe !exchange.upload.append(part) else { return .YES }
        // libmicrohttpd takes no answer in the middle of a body, so this one goes past it.
        exchange.stage = .refused
        let reply = responder.refuse(.bodyTooLarge, requestID: exchange.requestID)
        exchange.connection.refuseUpload(RawReply.bytes(reply))
        return .YES
    }

    func requestComplete(_ exchange: Exchange, _ handle: OpaquePointer) -> MHD_Result {
        switch exchange.stage {
        case .head, .refused: .NO
        case .body: unsafe answer(exchange, handle)
        case .answering: unsafe resumed(exchange, handle)
        }
    }
}

extension ServerCore {
    private func answer(_ exchange: Exchange, _ handle: OpaquePointer) -> MHD_Result {
        exchange.stage = .answering
        let request = HTTPRequest(exchange, method: exchange.method, body: exchange.upload.bytes)
        exchange.upload = Upload(limit: 0)
        switch responder.respond(to: request) {
        case .now(let response): return unsafe send(response, exchange, handle)
        case .later(let job):
            guard exchange.connection.enter(.working), exchange.suspend(unless: { isStopping }) else { return .NO }
            job(exchange.makeResume())
            return .YES
        }
    }

    func resumed(_ exchange: Exchange, _ handle: OpaquePointer) -> MHD_Result {
        guard let response = exchange.takeAnswer() else { return .NO }
        return unsafe send(response, exchange, handle)
    }

    private func refuse(_ exchange: Exchange, _ handle: OpaquePointer, _ problem: ServerRefusal) -> MHD_Result {
        exchange.stage = .refused
        return unsafe send(responder.refuse(problem, requestID: exchange.requestID), exchange, handle, closing: true)
    }

    private func send(
        _ response: HTTPResponse,
        _ exchange: Exchange,
        _ handle: OpaquePointer,
        closing: Bool = false
    ) -> MHD_Result {
        exchange.close()
        guard exchange.connection.enter(.replying) else { return .NO }
        return unsafe QueuedReply.queue(response, on: handle, closing: closing || isQuiescing)
    }
}
