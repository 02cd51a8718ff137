import Glibc
import Testing
import Wire

@testable import HTTPFront

/// A client that sends what it is told to, well formed or not.
final class RawClient {
    private let descriptor: Int32
    private var received: [UInt8] = []

    struct ConnectionFailed: Error { let code: Int32 }
    struct NoReply: Error { let received: String }

    init(_ address: ListenAddress) throws {
        descriptor = socket(Self.family(of: address), Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        let code = unsafe SocketAddress.with(address) { pointer, size in
            unsafe connect(descriptor, pointer, size) == 0 ? 0 : errno
        }
        guard code == 0 else { throw ConnectionFailed(code: code ?? ENAMETOOLONG) }
    }

    deinit { close(descriptor) }

    private static func family(of address: ListenAddress) -> Int32 {
        switch address {
        case .tcp(let host, _): host.isIPv4 ? AF_INET : AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// - Returns: Whether all of it was taken; a server that has closed takes nothing.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes { buffer in
                unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Waits until the server has said something or closed, at most so long.
    func isReadable(within milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe Glibc.poll(&poll, 1, milliseconds) > 0
    }

    /// Reads one reply.
    func reply(toHead: Bool = false) throws -> RawReplyText {
        while true {
            if let (reply, size) = RawReplyText.parse(received, hasBody: !toHead) {
                received.removeFirst(size)
                return reply
            }
            guard receive() else { throw NoReply(received: String(decoding: received, as: UTF8.self)) }
        }
    }

    /// Reads until the server closes, and says what came.
    func everything() -> String {
        while receive() {}
        return String(decoding: received, as: UTF8.self)
    }

    /// Whether the server closes without another word.
    var isClosed: Bool { everything().isEmpty }

    private func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return false }
        received += buffer.prefix(count)
        return true
    }
}

/// A reply as it came.
struct RawReplyText {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: String

    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    func all(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    var endsConnection: Bool { header("Connection")?.lowercased() == "close" }

    /// - Returns: `nil` while it is incomplete.
    static func parse(_ bytes: [UInt8], hasBody: Bool) -> (RawReplyText, size: Int)? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        guard let first = lines.first, let status = Int(first.dropFirst(9).prefix(3)) else { return nil }
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.dropFirst().first ?? ""
            return (name: String(parts.first ?? ""), value: String(value.drop { $0 == " " }))
        }
        let head = RawReplyText(status: status, headers: headers, body: "")
        let announced = head.header("Content-Length").flatMap(Int.init) ?? 0
        let size = text[..<end.upperBound].utf8.count
        let length = hasBody && status != 204 && status != 304 ? announced : 0
        guard bytes.count >= size + length else { return nil }
        let body = String(decoding: bytes[size..<(size + length)], as: UTF8.self)
        return (RawReplyText(status: status, headers: headers, body: body), size + length)
    }
}
