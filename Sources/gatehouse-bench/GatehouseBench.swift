import FoundationEssentials
import Glibc

/// Every scenario, in the order of the table.
private let scenarios: [any Scenario] = [
    CheckDirect(), CheckBehindNginx(), CheckTail(), CheckProcessorTime(), CheckWithHundredRules(),
    CheckWithRemoteToken(),
    CheckWithMillionSessions(), CheckWhileHashing(), WebAuthnAssertion.es256, WebAuthnAssertion.edDSA,
    WebAuthnAssertion.rs256, IdentityToken(), Argon2id(), PasswordFailures(), PasskeySignIns(), IdleMemory(),
    CachedSessionsMemory(), StartTime(),
]

/// Runs the scenarios named in the arguments, or all, and prints what each made of its budget.
///
/// Exit codes: 0 if all are within their budgets, 1 if not, 64 for a name that no scenario has.
@main
struct GatehouseBench {
    static func main() {
        let names = CommandLine.arguments.dropFirst()
        let unknown = names.filter { name in !scenarios.contains { $0.name == name } }
        guard unknown.isEmpty else {
            print("unknown: \(unknown.joined(separator: " "))\nknown: \(scenarios.map(\.name).joined(separator: " "))")
            exit(EX_USAGE)
        }
        printRow("scenario", "ratio", "budget", "verdict")
        let passed = scenarios.filter { names.isEmpty || names.contains($0.name) }.map(runs)
        exit(passed.allSatisfy(\.self) ? EXIT_SUCCESS : EXIT_FAILURE)
    }

    /// Runs one, prints its row and says whether it passed.
    private static func runs(_ scenario: any Scenario) -> Bool {
        do {
            let ratio = try scenario.run()
            let passed = ratio >= scenario.budget
            let remark = try scenario.remark()
            printRow(scenario.name, decimal(ratio), decimal(scenario.budget), passed ? "ok" : "UNDER BUDGET", remark)
            return passed
        } catch {
            printRow(scenario.name, "-", decimal(scenario.budget), "FAILED: \(error)")
            return false
        }
    }

    private static func printRow(
        _ name: String,
        _ ratio: String,
        _ budget: String,
        _ verdict: String,
        _ remark: String = ""
    ) {
        print(padded(name, to: 32), padded(ratio, to: 8), padded(budget, to: 8), verdict, remark)
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Two decimals, cut and not rounded, so that what reads as the budget is the budget.
    private static func decimal(_ value: Double) -> String {
        guard let hundredths = Int(exactly: (value * 100).rounded(.down)) else { return "\(value)" }
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }
}
