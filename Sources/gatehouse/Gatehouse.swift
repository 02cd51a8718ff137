import Crypto
import Glibc

/// The command line: finds the command, runs it, and turns its failure into a message and an exit code.
@main
struct Gatehouse {
    static let version = "0.1.0"

    static func main() {
        CryptoLibrary.prepare()
        let words = Array(CommandLine.arguments.dropFirst())
        do throws(CommandFailure) {
            try run(words)
        } catch {
            for line in error.lines { writeError("gatehouse: \(line)") }
            exit(error.code.rawValue)
        }
    }

    private static func run(_ words: [String]) throws(CommandFailure) {
        guard let first = words.first, first != "--help", first != "-h", first != "help" else {
            return print(Help.overview(of: commands))
        }
        if first == "--version" { return print("gatehouse \(version)") }
        guard let command = commands.first(where: { Array(words.prefix($0.name.count)) == $0.name }) else {
            let group = commands.filter { $0.name.first == first }
            guard group.isEmpty || words.dropFirst().first.map({ $0 == "--help" || $0 == "-h" }) == false else {
                return print(Help.overview(of: group))
            }
            throw CommandFailure(
                .usage,
                "no such command: \(words.prefix(2).joined(separator: " ")); see gatehouse --help"
            )
        }
        let rest = Array(words.dropFirst(command.name.count))
        if rest.contains("--help") || rest.contains("-h") { return print(Help.page(of: command)) }
        try command.run(try Invocation(rest, for: command))
    }

    static let commands: [Command] =
        [serve, configCheck] + accountCommands + sessionCommands + tokenCommands
        + migrationCommands + [accessExplain, importAccounts, hashCalibrate, versionCommand]

    private static let versionCommand = Command(["version"], "Print the version.") { (_) throws(CommandFailure) in
        print("gatehouse \(version)")
    }
}

/// Writes to standard error at once, as one piece.
func writeError(_ text: String, terminator: String = "\n") {
    let bytes = Array((text + terminator).utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
