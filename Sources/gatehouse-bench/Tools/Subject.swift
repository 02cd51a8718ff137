import Foundation

/// A process that is measured: started in a folder of its own, ended by its own handle.
final class Subject {
    let folder: URL
    private let process = Process()
    private let output = Pipe()

    init(_ executable: String, _ arguments: [String], folder: URL) throws {
        self.folder = folder
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { stop() }

    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Waits for a line of output that begins so.
    func wait(for beginning: String) throws {
        var text = ""
        while !text.split(separator: "\n").contains(where: { $0.hasPrefix(beginning) }) {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw ScenarioFault(reason: "the process ended: \(text)") }
            text += String(decoding: data, as: UTF8.self)
        }
    }

    /// Resident memory in bytes.
    func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/statm", encoding: .utf8)
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { throw ScenarioFault(reason: "no statm") }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Seconds of the processor that it and its children took for each request of a run.
    func timeEach(in wrk: Wrk) throws -> Double {
        let before = try processorTime()
        let requests = try wrk.run().requests
        return (try processorTime() - before) / requests
    }

    private func processorTime() throws -> Double {
        let ticks = try ([process.processIdentifier] + children()).map { id in
            // After the name, which may hold spaces, the state is the third field; times are 14th and 15th (proc_pid_stat(5)).
            let text = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
            let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
            guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
                throw ScenarioFault(reason: "no times of process \(id)")
            }
            return user + system
        }
        return ticks.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private func children() throws -> [Int32] {
        let id = process.processIdentifier
        let text = try String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
        return text.split(separator: " ").compactMap { Int32($0) }
    }

    /// Runs something to its end and returns what it printed.
    static func run(_ executable: String, _ arguments: [String], input: String = "", folder: URL) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let (inward, outward) = (Pipe(), Pipe())
        process.standardInput = inward
        process.standardOutput = outward
        process.standardError = FileHandle.nullDevice
        try process.run()
        try inward.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try inward.fileHandleForWriting.close()
        let text = String(decoding: outward.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ScenarioFault(reason: "\(executable) failed: \(text)") }
        return text
    }
}

/// A folder under the system's temporary one that goes away with its owner.
final class WorkFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ name: String, _ text: String) throws -> String {
        let file = url.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
