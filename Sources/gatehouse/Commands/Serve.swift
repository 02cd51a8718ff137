import GatehouseCore
import GatehouseKit
import Glibc
import HTTPFront
import Storage

extension Gatehouse {
    static let serve = Command(
        ["serve"],
        "Run the gateway.",
        options: [
            .config,
            Command.Option(
                name: "--accept-rp-id-change",
                value: nil,
                summary: "Start although the stored passkeys belong to another RP ID; they stop working."
            ),
        ],
        details: """
            Without a configuration file it runs on localhost, keeps its data in gatehouse.sqlite3 in the current folder,
            and says so. At the first start it prints a link with which the first administrator is set up. SIGTERM and
            SIGINT stop it: requests under way are finished, for at most ten seconds.
            """
    ) { (invocation) throws(CommandFailure) in
        let configuration = try Configuration.load(invocation)
        let signals = StopSignals()
        let server = try Server(configuration, acceptsRPIDChange: invocation.has("--accept-rp-id-change"))
        server.announce()
        signals.wait()
        server.stop()
    }
}

extension Configuration {
    /// Reads the file that the command line or the environment names.
    static func load(_ invocation: Invocation) throws(CommandFailure) -> Configuration {
        let environment = Environment.all
        let file = invocation.value("--config") ?? environment["GATEHOUSE_CONFIG"]
        do throws(ConfigurationError) {
            return try ConfigurationReader.read(file: file, environment: environment)
        } catch {
            throw CommandFailure(.config, lines: error.lines)
        }
    }
}

/// The process's environment.
enum Environment {
    static var all: [String: String] {
        var variables: [String: String] = [:]
        var pointer = unsafe environ
        while let entry = unsafe pointer.pointee {
            let text = unsafe String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            unsafe pointer += 1
        }
        return variables
    }
}

/// The signals that ask for an orderly end, kept from every thread but the one that waits for them.
struct StopSignals {
    private var set = sigset_t()

    init() {
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGTERM)
        unsafe sigaddset(&set, SIGINT)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        // Neither a client that goes away nor a file that may not grow must end the process.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    func wait() {
        var received: Int32 = 0
        var set = set
        while unsafe sigwait(&set, &received) != 0 {}
    }
}
