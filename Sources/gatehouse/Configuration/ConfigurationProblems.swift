/// Everything that is wrong with a configuration, found in one go.
final class ConfigurationProblems {
    private(set) var lines: [String] = []
    private let file: String

    init(file: String) { self.file = file }

    /// - Parameter line: In the file; `nil` for what came from the environment.
    func add(_ line: Int?, _ path: String, _ message: String) {
        lines.append(line.map { "\(file):\($0): \(path): \(message)" } ?? "\(path): \(message)")
    }
}

/// A configuration that can't be used; each line says where and why.
struct ConfigurationError: Error {
    let lines: [String]
}
