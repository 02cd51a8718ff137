import Foundation
import Glibc

/// One HTTP connection to this machine that is kept open.
final class Connection {
    private let descriptor: Int32
    private let port: UInt16
    private var buffer: [UInt8] = []

    init(port: UInt16) throws {
        self.port = port
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            close(descriptor)
            throw ScenarioFault(reason: "nobody listens on \(port)")
        }
        var on: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    struct Reply {
        let status: Int
        let head: String
        let body: Data
    }

    func post(_ path: String, _ json: Data) throws -> Reply {
        var request = Data("POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".utf8)
        request += Data("Content-Length: \(json.count)\r\n\r\n".utf8)
        return try exchange(request + json)
    }

    func get(_ path: String, headers: [String] = []) throws -> Reply {
        let lines = headers.map { $0 + "\r\n" }.joined()
        return try exchange(Data("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(lines)\r\n".utf8))
    }

    private func exchange(_ request: Data) throws -> Reply {
        let bytes = [UInt8](request)
        guard unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw ScenarioFault(reason: "the connection was cut")
        }
        while true {
            if let reply = try takeReply() { return reply }
            try receive()
        }
    }

    private func receive() throws {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { throw ScenarioFault(reason: "the connection was closed") }
        buffer += chunk.prefix(count)
    }

    private func takeReply() throws -> Reply? {
        guard let end = buffer.firstRange(of: [13, 10, 13, 10]) else { return nil }
        let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        let status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") }
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) }
        guard let status else { throw ScenarioFault(reason: "no status line") }
        let stop = end.upperBound + (length ?? 0)
        guard buffer.count >= stop else { return nil }
        let body = Data(buffer[end.upperBound..<stop])
        buffer.removeFirst(stop)
        return Reply(status: status, head: head, body: body)
    }
}
