import Foundation
import GatehouseClient
import GatehouseTesting

/// A real `gatehouse serve` for one test, which goes away with its owner.
final class LiveGateway: Sendable {
    static let origin = "http://localhost:9091"
    static let password = "correct horse battery staple"

    private let folder = TemporaryFolder()
    private let process = Process()
    /// `http://127.0.0.1:` and the port that it found.
    let url: String

    struct Failure: Error { let output: String }

    /// - Parameters:
    ///   - accounts: Names, each with ``password``.
    ///   - apps: `providers.trusted-device.apps`, in YAML.
    init(accounts: [String] = [], apps: String = "[]") throws {
        let configuration = folder.path + "/gatehouse.yaml"
        try Self.configuration(folder, apps).write(toFile: configuration, atomically: true, encoding: .utf8)
        for name in accounts { try Self.add(name, configuration) }
        let output = Pipe()
        process.executableURL = Self.executable
        process.arguments = ["serve", "--config", configuration]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        url = try Self.address(in: output.fileHandleForReading)
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    func client(token: String? = nil) -> GatehouseClient {
        GatehouseClient(server: url, transport: URLSessionTransport(), token: token)
    }

    /// Beside the tests, where the build put it.
    private static var executable: URL {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "gatehouse")
    }

    private static func configuration(_ folder: TemporaryFolder, _ apps: String) -> String {
        """
        public_url: \(origin)
        listen: {public: "127.0.0.1:0", check: "127.0.0.1:0", operations: "127.0.0.1:0"}
        storage: {sqlite: {path: \(folder.database)}}
        hashing: {memory_kib: 1024, passes: 1}
        accounts: {signup: open}
        providers: {trusted-device: {apps: \(apps)}}
        """
    }

    private static func add(_ name: String, _ configuration: String) throws {
        let command = Process()
        let input = Pipe()
        command.executableURL = executable
        command.arguments = ["account", "add", name, "--config", configuration]
        command.standardInput = input
        try command.run()
        try input.fileHandleForWriting.write(contentsOf: Data("\(password)\n".utf8))
        try input.fileHandleForWriting.close()
        command.waitUntilExit()
        guard command.terminationStatus == 0 else { throw Failure(output: "account add \(name)") }
    }

    /// Reads what it says until it is ready.
    private static func address(in output: FileHandle) throws -> String {
        var text = ""
        while !text.contains("Gatehouse is ready") {
            let part = output.availableData
            guard !part.isEmpty else { throw Failure(output: text) }
            text += String(decoding: part, as: UTF8.self)
        }
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("public ") }) else {
            throw Failure(output: text)
        }
        return "http://" + line.dropFirst("public ".count)
    }
}
