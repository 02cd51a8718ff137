import GatehouseCore
import GatehouseKit

extension MigrationStatus {
    /// As `gatehouse migration status` prints it.
    var text: String {
        let methods = methods.map { method in
            "  \(method.kind): \(method.signIns) (\(percent(method.share)))"
                + (method.medianMilliseconds.map { ", median \(seconds($0))" } ?? "")
                + (method.p90Milliseconds.map { ", p90 \(seconds($0))" } ?? "")
        }
        return (cohorts.map(\.text) + ["sign-ins of \(days) days"] + methods + ["recoveries: \(recoveries)"])
            .joined(separator: "\n")
    }
}

extension MigrationStatus.Cohort {
    fileprivate var text: String {
        let due = deadline.map { ", due \($0.rfc3339.prefix(10))" } ?? ""
        let grace = graceSignIns > 0 ? ", \(graceSignIns) sign-ins of grace" : ""
        let steps = ["eligible", "offered", "enrolled", "first_used", "retired"].map { "\($0) \(funnel[$0] ?? 0)" }
        let states = accounts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let answers = answers.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return [
            "\(name): \(stage.rawValue)\(due)\(grace)",
            "  accounts: \(states.isEmpty ? "none" : states.joined(separator: ", "))",
            "  so far: \(steps.joined(separator: ", "))" + (acceptance.map { "; accepted \(percent($0))" } ?? ""),
            answers.isEmpty ? nil : "  answers: \(answers.joined(separator: ", "))",
        ].compactMap(\.self).joined(separator: "\n")
    }
}

extension MigrationPlan {
    /// As `gatehouse migration plan` prints it.
    func text(listing: Bool) -> String {
        let counted = Outcome.allCases.compactMap { outcome in
            counts[outcome.rawValue].map { "\($0) \(outcome.words)" }
        }
        let list = listing ? accounts.map { "  \($0.username) (\($0.cohort)): \($0.outcome.words)" } : []
        let head = "At \(stage.rawValue) on \(on.rfc3339.prefix(10)), of \(accounts.count) accounts:"
        return ([head] + counted.map { "  \($0)" } + list).joined(separator: "\n")
    }
}

extension MigrationPlan.Outcome {
    fileprivate var words: String {
        switch self {
        case .unchanged: "sign in as before"
        case .offered: "asked for a passkey"
        case .pressed: "asked, and told the deadline"
        case .grace: "let in for one of the last times"
        case .enrollOnly: "let in to enrol a passkey and for nothing else; locked out where they can't"
        case .retired: "lose their password, and have what they need"
        case .keptNeverUsed: "keep their password: their passkey never signed in"
        case .keptOnlyOne: "keep their password: all else they have is on one device"
        case .withoutPassword: "without a password"
        case .disabled: "disabled"
        }
    }
}

private func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

private func seconds(_ milliseconds: Int64) -> String { "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s" }
