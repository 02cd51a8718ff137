import GatehouseCore
import GatehouseKit
import HTTPFront
import Storage
import Wire

extension Gatehouse {
    static let accessExplain = Command(
        ["access", "explain"],
        "Say which access rule decides a request, and why.",
        options: [
            Command.Option(name: "--url", value: "URL", summary: "What a browser would show; required."),
            Command.Option(name: "--method", value: "METHOD", summary: "GET by default."),
            Command.Option(name: "--address", value: "ADDRESS", summary: "Where the visitor comes from."),
            Command.Option(name: "--preflight", value: nil, summary: "A CORS preflight; with --method OPTIONS."),
            Command.Option(
                name: "--account",
                value: "USERNAME",
                summary: "Also say how each live session of this account would fare."
            ),
            .config, .json,
        ],
        details:
            "It reads the configuration file, which a running gateway may not have taken over yet: SIGHUP makes it."
    ) { (invocation) throws(CommandFailure) in
        let configuration = try Configuration.load(invocation)
        let check = AccessCheck(rules: AccessRules(configuration.rules), policy: configuration.session)
        let explanation = try explanation(try request(invocation), check, configuration, invocation)
        print(invocation.has("--json") ? json(explanation) : explanation.text)
    }

    private static func request(_ invocation: Invocation) throws(CommandFailure) -> OriginalRequest {
        guard let url = invocation.value("--url") else {
            throw CommandFailure(.usage, "--url is missing; see gatehouse access explain --help")
        }
        let address = try invocation.value("--address").map { (text) throws(CommandFailure) -> IPAddress in
            guard let address = IPAddress(text) else { throw CommandFailure(.usage, "\(text) is no address") }
            return address
        }
        guard
            let request = OriginalRequest(
                asking: url,
                method: invocation.value("--method") ?? "GET",
                isPreflight: invocation.has("--preflight"),
                address: address
            )
        else {
            throw CommandFailure(
                .data,
                "refused before any rule: the URL is not an absolute http or https one, its path has no single meaning "
                    + "(dot segments, encoded slashes, control characters), or the method is not in capital letters"
            )
        }
        return request
    }

    private static func explanation(
        _ request: OriginalRequest,
        _ check: AccessCheck,
        _ configuration: Configuration,
        _ invocation: Invocation
    ) throws(CommandFailure) -> AccessExplanation {
        let now = SystemClock().now
        guard let name = invocation.value("--account") else {
            return check.explanation(of: request, for: nil, with: [], now: now)
        }
        let composition = try Composition(configuration, role: .command, log: .silent)
        defer { composition.storage.stop() }
        do throws(SignInError) {
            let account = try composition.accounts.find(name)
            let sessions = try composition.services.sessions.sessions(of: account.id)
            return check.explanation(of: request, for: account, with: sessions, now: now)
        } catch { throw CommandFailure(error) }
    }
}

extension AccessExplanation {
    fileprivate var text: String {
        let head = ["\(method) \(url)", "  compared as \(path)" + (address.map { ", from \($0)" } ?? "")]
        let lines = rules.map { line in
            "  rule \(line.number)  \(line.matches ? "matches" : "another \(line.differs ?? "")")  \(line.rule)"
        }
        let verdicts = (sessions ?? []).map { session in
            "  session \(session.id) (\(session.methods.joined(separator: ", ")), \(session.assurance)) \(session.verdict)"
        }
        let none = sessions?.isEmpty == true ? ["  no live session: has to sign in, where the rule asks for one"] : []
        return (head + lines + ["  \(reason)"] + verdicts + none).joined(separator: "\n")
    }
}
