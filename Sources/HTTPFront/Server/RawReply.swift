import CMicroHTTPD
import Glibc

/// Responses that go straight to the socket, and end the connection.
///
/// libmicrohttpd has no place for them: before a request, in the middle of one, and after its time is up.
enum RawReply {
    static func bytes(_ response: HTTPResponse) -> [UInt8] {
        let reason = unsafe String(cString: MHD_get_reason_phrase_for(UInt32(clamping: response.status)))
        var head = "HTTP/1.1 \(response.status) \(reason)\r\nDate: \(date())\r\n"
        let ours = [("Connection", "close"), ("Content-Length", "\(response.body.count)")]
        for (name, value) in response.headers + ours {
            // Nobody waits for these headers to protect them, so one that can't be written is left out.
            guard !(name + value).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { continue }
            head += "\(name): \(value)\r\n"
        }
        return Array((head + "\r\n").utf8) + body(response.body)
    }

    private static func body(_ body: HTTPBody) -> [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .shared(let bytes): bytes.bytes
        }
    }

    /// RFC 9110 §5.6.7, in the C locale that the process starts with.
    private static func date() -> String {
        var seconds = time(nil)
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        return unsafe String(unsafeUninitializedCapacity: 64) { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { text in
                unsafe strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            }
        }
    }
}
