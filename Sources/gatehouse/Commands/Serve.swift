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
            SIGINT stop it: requests under way are finished, for at most ten seconds. SIGHUP makes it read the file again and
            take over access.rules; the log says so, or what is wrong with the file, or which changes take a restart. A crash is
            not reported, because reports hold pieces of memory; SWIFT_BACKTRACE=registers=none asks for one without.
            """
    ) { (invocation) throws(CommandFailure) in
        let signals = ServerSignals()
        let configuration = try Configuration.load(invocation)
        let server = try Server(configuration, acceptsRPIDChange: invocation.has("--accept-rp-id-change"))
        server.announce()
        // Without a file there is nothing to read again, and the terminal was closed.
        while signals.next() == SIGHUP, configuration.file != nil { server.reload(from: invocation) }
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

/// The signals that ask for an orderly end or a reload, kept from every thread but the one that waits for them.
struct ServerSignals {
    private var set = sigset_t()

    init() {
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGTERM)
        unsafe sigaddset(&set, SIGINT)
        unsafe sigaddset(&set, SIGHUP)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        // Neither a client that goes away nor a file that may not grow must end the process.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        if Environment.all["SWIFT_BACKTRACE"] == nil { Self.endAtOnce() }
    }

    /// Crashes without the runtime's report, which has the memory in it that the registers point at: perhaps a secret.
    private static func endAtOnce() {
        for crash in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { signal(crash, SIG_DFL) }
    }

    func next() -> Int32 {
        var received: Int32 = 0
        var set = set
        while unsafe sigwait(&set, &received) != 0 {}
        return received
    }
}
