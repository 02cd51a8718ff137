import CMicroHTTPD

/// A response in libmicrohttpd's form.
@safe
struct QueuedReply: ~Copyable {
    private let handle: OpaquePointer

    /// Queues a response, or 500 where it can't be written as it is.
    static func queue(_ response: HTTPResponse, on connection: OpaquePointer, closing: Bool) -> MHD_Result {
        let isWritable = 200...599 ~= response.status
        if isWritable, let reply = QueuedReply(response.body), reply.add(response.headers, closing: closing) {
            return unsafe reply.queue(response.status, on: connection)
        }
        guard let reply = QueuedReply(.none), reply.add([], closing: true) else { return .NO }
        return unsafe reply.queue(500, on: connection)
    }

    private init?(_ body: HTTPBody) {
        let created: OpaquePointer? =
            switch body {
            case .bytes(let bytes): unsafe Self.copying(bytes)
            case .shared(let bytes):
                unsafe MHD_create_response_from_buffer(
                    bytes.count,
                    UnsafeMutableRawPointer(mutating: bytes.start),
                    .RESPMEM_PERSISTENT
                )
            }
        guard let created = unsafe created else { return nil }
        unsafe handle = created
    }

    private static func copying(_ bytes: [UInt8]) -> OpaquePointer? {
        guard !bytes.isEmpty else { return unsafe MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT) }
        return unsafe bytes.withUnsafeBytes { buffer in
            // It only reads what it is told to copy.
            let start = unsafe UnsafeMutableRawPointer(mutating: buffer.baseAddress)
            return unsafe MHD_create_response_from_buffer(buffer.count, start, .RESPMEM_MUST_COPY)
        }
    }

    /// - Returns: `false` when one of them can't be written.
    private borrowing func add(_ headers: [(String, String)], closing: Bool) -> Bool {
        for (name, value) in headers {
            guard add(name, value) else { return false }
        }
        return !closing || add("Connection", "close")
    }

    private borrowing func add(_ name: String, _ value: String) -> Bool {
        // It refuses an empty value, which HTTP allows. White space around a value doesn't count (RFC 9110 §5.5).
        let written = value.isEmpty ? " " : value
        // Lent rather than passed: a string given as an argument is first copied into an array.
        return unsafe name.withCString { start in
            let name = unsafe UnsafeRawBufferPointer(start: start, count: name.utf8.count)
            guard unsafe name.allSatisfy(HTTPMethod.isTokenByte) else { return false }
            return unsafe written.withCString { value in
                // libmicrohttpd looks for line breaks only; a NUL would cut the value short.
                let bytes = unsafe UnsafeRawBufferPointer(start: value, count: written.utf8.count)
                guard unsafe !bytes.hasControls else { return false }
                return unsafe MHD_add_response_header(handle, start, value) == .YES
            }
        }
    }

    private consuming func queue(_ status: Int, on connection: OpaquePointer) -> MHD_Result {
        unsafe MHD_queue_response(connection, UInt32(status), handle)
    }

    deinit {
        // The connection holds its own reference.
        unsafe MHD_destroy_response(handle)
    }
}
