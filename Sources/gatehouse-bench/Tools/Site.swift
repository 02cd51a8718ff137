import Foundation
import Glibc

/// A gateway, and nginx beside it for reference, on ports that were free.
final class Site {
    static let password = "correct horse battery staple"

    let folder = try? WorkFolder()
    let publicPort: UInt16
    let checkPort: UInt16
    /// nginx that answers 204 to everything: the least an HTTP server can do.
    let emptyPort: UInt16
    /// nginx with `auth_request`, asking the gateway, in front of the empty answer.
    let guardedPort: UInt16
    /// The same nginx asking the empty answer instead.
    let referencePort: UInt16
    private(set) var gateway: Subject
    private let nginx: Subject?

    /// nginx, which answers 204.
    var reference: Subject {
        get throws {
            guard let nginx else { throw ScenarioFault(reason: "no nginx") }
            return nginx
        }
    }

    private let configuration: String

    /// - Parameter settings: More lines of the configuration.
    init(withNginx: Bool = true, database: URL? = nil, settings: String = "") throws {
        guard let folder else { throw ScenarioFault(reason: "no temporary folder") }
        let ports = try Self.freePorts(6)
        (publicPort, checkPort, emptyPort) = (ports[0], ports[1], ports[2])
        (guardedPort, referencePort) = (ports[3], ports[4])
        configuration = try folder.write(
            "gatehouse.yaml",
            """
            public_url: http://localhost:\(ports[0])
            listen: { public: "127.0.0.1:\(ports[0])", check: "127.0.0.1:\(ports[1])", operations: "127.0.0.1:\(ports[5])" }
            storage: { sqlite: { path: \(database?.path ?? "gatehouse.sqlite3") } }
            throttle: { free_failures: 1000000, per_address_per_minute: 10000000 }
            migration: { offer: "off" }
            \(settings)
            """
        )
        nginx = withNginx ? try Self.startNginx(folder, ports) : nil
        gateway = try Self.startGateway(folder, configuration)
    }

    static var binary: String {
        ProcessInfo.processInfo.environment["GATEHOUSE"]
            ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("gatehouse").path
    }

    private static func startGateway(_ folder: WorkFolder, _ configuration: String) throws -> Subject {
        let gateway = try Subject(binary, ["serve", "--config", configuration], folder: folder.url)
        try gateway.wait(for: "Gatehouse is ready")
        return gateway
    }

    /// Starts the gateway again and returns how long its first answer took, in seconds.
    func restartTime() throws -> Double {
        guard let folder else { throw ScenarioFault(reason: "no temporary folder") }
        gateway.stop()
        let clock = ContinuousClock()
        let begun = clock.now
        gateway = try Subject(Self.binary, ["serve", "--config", configuration], folder: folder.url)
        while (try? Connection(port: publicPort).get("/healthz").status) != 200 { sched_yield() }
        return (clock.now - begun) / .seconds(1)
    }

    private static func startNginx(_ folder: WorkFolder, _ ports: [UInt16]) throws -> Subject {
        let guarded = { (port: UInt16, check: String) in
            """
            server { listen 127.0.0.1:\(port);
              location / { auth_request /check; proxy_pass http://empty; proxy_http_version 1.1;
                proxy_set_header Connection ""; }
              location = /check { internal; proxy_pass \(check); proxy_pass_request_body off; proxy_http_version 1.1;
                proxy_set_header Connection ""; proxy_set_header Content-Length "";
                proxy_set_header X-Original-URL http://localhost:\(port)$request_uri;
                proxy_set_header X-Original-Method $request_method; } }
            """
        }
        let file = try folder.write(
            "nginx.conf",
            """
            daemon off; worker_processes 2; pid nginx.pid; error_log /dev/null crit; events { worker_connections 4096; }
            http { access_log off; keepalive_requests 10000000;
              upstream empty { server 127.0.0.1:\(ports[2]); keepalive 128; }
              upstream gatehouse { server 127.0.0.1:\(ports[1]); keepalive 128; }
              server { listen 127.0.0.1:\(ports[2]); location / { return 204; } }
              \(guarded(ports[3], "http://gatehouse/auth/nginx"))
              \(guarded(ports[4], "http://empty/")) }
            """
        )
        let path = ["/usr/sbin/nginx", "/usr/bin/nginx"].first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let path else { throw ScenarioFault(reason: "nginx is not installed") }
        let nginx = try Subject(path, ["-p", folder.url.path, "-c", file], folder: folder.url)
        let deadline = ContinuousClock().now + .seconds(10)
        while (try? Connection(port: ports[4]).get("/").status) == nil {
            guard ContinuousClock().now < deadline else { throw ScenarioFault(reason: "nginx did not start") }
            sched_yield()
        }
        return nginx
    }

    func addAccount(_ name: String) throws {
        try command(["account", "add", name], input: Self.password + "\n")
    }

    /// Runs a command on the gateway's database.
    func command(_ arguments: [String], input: String = "") throws {
        guard let folder else { throw ScenarioFault(reason: "no temporary folder") }
        _ = try Subject.run(Self.binary, arguments + ["--config", configuration], input: input, folder: folder.url)
    }

    /// Signs in with a password and returns the value of the session cookie.
    func signIn(_ name: String) throws -> String {
        let connection = try Connection(port: publicPort)
        let begun = try connection.post("/sign-in/options", Data("{}".utf8))
        let ceremony = try JSONDecoder().decode(Begun.self, from: begun.body).ceremonyId
        let credential = #"{"kind":"password","identifier":"\#(name)","password":"\#(Self.password)"}"#
        let reply = try connection.post(
            "/sign-in/verify",
            Data(#"{"ceremonyId":"\#(ceremony)","credential":\#(credential)}"#.utf8)
        )
        let line = reply.head.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie: gatehouse=") }
        guard let line else { throw ScenarioFault(reason: "sign-in answered \(reply.status)") }
        return String(line.dropFirst("Set-Cookie: gatehouse=".count).prefix { $0 != ";" })
    }

    /// Signs in, and says what a proxy sends along with a request of that visitor.
    func checkHeaders() throws -> [String] {
        try addAccount("lee")
        return Self.headers(for: try signIn("lee"))
    }

    /// Asks the check once about each session, so that it knows them all.
    func check(_ tokens: [String]) throws {
        let connection = try Connection(port: checkPort)
        for token in tokens {
            let status = try connection.get("/auth/nginx", headers: Self.headers(for: token)).status
            guard status == 200 else { throw ScenarioFault(reason: "a session was answered \(status)") }
        }
    }

    private static func headers(for token: String) -> [String] {
        [
            "X-Original-URL: http://localhost:8080/app/page?x=1", "X-Original-Method: GET",
            "Cookie: theme=dark; gatehouse=\(token)",
        ]
    }

    private struct Begun: Decodable { let ceremonyId: String }

    private static func freePorts(_ count: Int) throws -> [UInt16] {
        var descriptors: [Int32] = []
        defer { descriptors.forEach { _ = close($0) } }
        return try (0..<count).map { _ in
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            descriptors.append(descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = unsafe withUnsafeMutablePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
                }
            }
            guard code == 0 else { throw ScenarioFault(reason: "no free port") }
            return UInt16(bigEndian: address.sin_port)
        }
    }
}
