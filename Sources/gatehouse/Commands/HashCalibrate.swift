import GatehouseKit
import PasswordProvider

extension Gatehouse {
    static let hashCalibrate = Command(
        ["hash", "calibrate"],
        "Find how costly password hashes can be on this machine.",
        options: [
            .config, .json,
            Command.Option(
                name: "--target",
                value: "TIME",
                summary: "How long one may take: 20ms to 2s; 100ms by default."
            ),
        ],
        details: """
            Run it where the gateway runs, with little else to do. It prints lines for the configuration and changes nothing.
            Memory goes first: of hashing.memory_budget_mib, each core gets its share. Passwords that are stored go over to a
            new cost as people sign in.
            """
    ) { (invocation) throws(CommandFailure) in
        let configuration = try Configuration.load(invocation)
        let target = try target(invocation.value("--target") ?? "100ms")
        let share = UInt32(min(configuration.hashingBudgetMiB / Composition.cores, 1 << 20) * 1_024)
        let calibration = HashCalibration()
        do throws(ProviderFault) {
            let now = try calibration.measured(configuration.hashCost)
            let best = try calibration.cost(taking: target, within: share)
            print(invocation.has("--json") ? json(Report(best)) : text(best, now: now, target))
        } catch { throw CommandFailure(.temporary, "hashing failed (code \(error.code)): is there memory enough?") }
    }

    private static func target(_ text: String) throws(CommandFailure) -> Swift.Duration {
        guard let span = Duration.parse(text), (20...2_000).contains(span.milliseconds) else {
            throw CommandFailure(.usage, "--target takes a time from 20ms to 2s, such as 100ms")
        }
        return .milliseconds(span.milliseconds)
    }

    private static func text(_ best: HashCalibration.Result, now: HashCalibration.Result, _ target: Swift.Duration)
        -> String
    {
        let note =
            best.cost == HashCost() && best.time > target
            ? "\n# More than was asked for, and still the least that is advisable." : ""
        return """
            # One hash takes \(best.time.wholeMilliseconds) ms; as configured it takes \(now.time.wholeMilliseconds) ms.\(note)
            hashing:
              memory_kib: \(best.cost.memoryKiB)
              passes: \(best.cost.passes)
              lanes: \(best.cost.lanes)
            """
    }

    private struct Report: Encodable {
        let memoryKiB: UInt32
        let passes: UInt32
        let lanes: UInt32
        let milliseconds: Int64

        init(_ result: HashCalibration.Result) {
            (memoryKiB, passes, lanes) = (result.cost.memoryKiB, result.cost.passes, result.cost.lanes)
            milliseconds = result.time.wholeMilliseconds
        }
    }
}

extension Swift.Duration {
    fileprivate var wholeMilliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
