import GatehouseKit

/// One command of the command line.
struct Command: Sendable {
    let name: [String]
    let summary: String
    let arguments: [String]
    let options: [Option]
    let details: String
    let run: @Sendable (Invocation) throws(CommandFailure) -> Void

    struct Option: Sendable {
        let name: String
        /// What stands after it; `nil` for a switch.
        let value: String?
        let summary: String
    }

    /// - Parameter arguments: Names of what must stand after the command, in order.
    init(
        _ name: [String],
        _ summary: String,
        arguments: [String] = [],
        options: [Option] = [],
        details: String = "",
        run: @escaping @Sendable (Invocation) throws(CommandFailure) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.arguments = arguments
        self.options = options
        self.details = details
        self.run = run
    }
}

extension Command.Option {
    static let config = Command.Option(
        name: "--config",
        value: "FILE",
        summary: "The configuration file; GATEHOUSE_CONFIG by default, else defaults for localhost."
    )
    static let json = Command.Option(name: "--json", value: nil, summary: "Print JSON.")
}

/// What stands on the command line after a command's name.
struct Invocation {
    let arguments: [String]
    private let options: [String: [String]]

    init(_ words: [String], for command: Command) throws(CommandFailure) {
        let usage = "see gatehouse \(command.name.joined(separator: " ")) --help"
        var arguments: [String] = []
        var options: [String: [String]] = [:]
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                arguments.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard let option = command.options.first(where: { $0.name == parts[0] }) else {
                throw CommandFailure(.usage, "no such option: \(parts[0]); \(usage)")
            }
            if option.value == nil {
                options[option.name, default: []].append("")
            } else if let value = parts.count == 2 ? parts[1] : rest.popFirst() {
                options[option.name, default: []].append(value)
            } else {
                throw CommandFailure(.usage, "\(option.name) needs a value; \(usage)")
            }
        }
        guard arguments.count == command.arguments.count else {
            let wanted = command.arguments.isEmpty ? "no argument" : command.arguments.joined(separator: " ")
            throw CommandFailure(.usage, "\(command.name.joined(separator: " ")) takes \(wanted); \(usage)")
        }
        self.arguments = arguments
        self.options = options
    }

    func has(_ name: String) -> Bool { options[name] != nil }
    func value(_ name: String) -> String? { options[name]?.last }
    func values(_ name: String) -> [String] { options[name] ?? [] }
}

/// Why a command did not do its work.
struct CommandFailure: Error {
    let code: Code
    let lines: [String]

    /// Exit codes of `sysexits.h`.
    enum Code: Int32 {
        case usage = 64
        case data = 65
        case noInput = 66
        case noUser = 67
        case unavailable = 69
        case software = 70
        case temporary = 75
        case config = 78
    }

    init(_ code: Code, _ line: String) { self.init(code, lines: [line]) }

    init(_ code: Code, lines: [String]) {
        self.code = code
        self.lines = lines
    }

    init(_ error: SignInError) {
        switch error {
        case .refused(let refusal):
            self.init(refusal.code == .notFound ? .noUser : .data, refusal.reason.description)
        case .unavailable(let fault):
            let subject = fault.kind == .storage ? "storage does not answer" : "something it needs is not there"
            self.init(.temporary, "\(subject) (\(fault.operation), code \(fault.code)); try again")
        }
    }
}

extension CommandFailure {
    func adding(_ line: String) -> CommandFailure { CommandFailure(code, lines: lines + [line]) }
}

/// Text for `--help`.
enum Help {
    static func overview(of commands: [Command]) -> String {
        let names = commands.map { ($0.name + $0.arguments).joined(separator: " ") }
        let width = names.map(\.count).max() ?? 0
        let list = zip(names, commands).map { name, command in
            "  " + name + String(repeating: " ", count: width - name.count + 2) + command.summary
        }
        return """
            Usage: gatehouse COMMAND [ARGUMENTS] [OPTIONS]

            \(list.joined(separator: "\n"))

            gatehouse COMMAND --help says more about a command. gatehouse serve alone runs on localhost.
            """
    }

    static func page(of command: Command) -> String {
        let options = command.options.map { option in
            "  \(option.name)\(option.value.map { " " + $0 } ?? "")\n      \(option.summary)"
        }
        let usage = (["gatehouse"] + command.name + command.arguments).joined(separator: " ")
        return """
            Usage: \(usage)\(options.isEmpty ? "" : " [OPTIONS]")

            \(command.summary)\(command.details.isEmpty ? "" : "\n\n" + command.details)
            \(options.isEmpty ? "" : "\n" + options.joined(separator: "\n"))
            """
    }
}
