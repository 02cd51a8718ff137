import GatehouseCore
import GatehouseKit

/// Takes over the access rules of a changed configuration; all else takes a restart.
struct RuleReload {
    let running: Configuration
    let access: AccessCheck
    let log: Log

    /// A configuration with mistakes changes nothing.
    func callAsFunction(from invocation: Invocation) {
        do throws(CommandFailure) {
            let found = try Configuration.load(invocation)
            sayWhatWaits(in: found)
            let rules = try rules(of: found)
            access.replaceRules(with: rules)
            log(.notice, "access rules reloaded", ["rules": rules.rules.count])
        } catch {
            for line in error.lines { log(.error, "configuration not reloaded", ["problem": Words(line)]) }
        }
    }

    /// The rules, which have to hold along with what does not change.
    private func rules(of found: Configuration) throws(CommandFailure) -> AccessRules {
        let problems = ConfigurationProblems(file: found.file ?? "(defaults)")
        var next = running
        next.rules = found.rules
        ConfigurationRules.check(next, problems)
        guard problems.lines.isEmpty else { throw CommandFailure(.config, lines: problems.lines) }
        return AccessRules(found.rules)
    }

    private func sayWhatWaits(in found: Configuration) {
        let paths = Set(running.stated.keys).union(found.stated.keys)
        for path in paths.sorted() where running.stated[path] != found.stated[path] && !path.hasPrefix("access.rules") {
            log(.notice, "a changed setting takes a restart", ["setting": Words(path)])
        }
    }
}

/// What an operator wrote, or is told about it.
private struct Words: Loggable {
    let logText: String

    init(_ text: String) { logText = text }
}
