import GatehouseCore
import GatehouseKit
import Glibc
import HTTPFront
import Storage

extension Gatehouse {
    static let migrationCommands = [migrationStatus, migrationPlan, migrationStage, migrationReinstate]

    private static let migrationStatus = Command(
        ["migration", "status"],
        "Say how far each cohort has come on its way to passkeys.",
        options: [
            Command.Option(name: "--days", value: "N", summary: "How far to look back for sign-ins; 30 by default."),
            .config, .json,
        ]
    ) { (invocation) throws(CommandFailure) in
        let days = try invocation.number("--days", in: 1...3_650) ?? 30
        try migrating(invocation) { (migration, _) throws(SignInError) in
            let status = try migration.status(days: days)
            print(invocation.has("--json") ? json(status) : status.text)
        }
    }

    private static let migrationPlan = Command(
        ["migration", "plan"],
        "Say what a stage would do, to how many and to whom; changes nothing.",
        options: [
            stageOption, cohortOption, deadlineOption, graceOption,
            Command.Option(
                name: "--on",
                value: "DATE",
                summary: "The day to foresee, such as 2027-03-01; now by default."
            ),
            Command.Option(name: "--list", value: nil, summary: "Every account, with what becomes of it."),
            .config, .json,
        ]
    ) { (invocation) throws(CommandFailure) in
        guard let stage = try invocation.stage() else {
            throw CommandFailure(.usage, "--stage is missing; see gatehouse migration plan --help")
        }
        let (deadline, grace) = (try invocation.date("--deadline"), try invocation.number("--grace", in: 0...100) ?? 0)
        let date = try invocation.date("--on")
        try migrating(invocation) { (migration, clock) throws(SignInError) in
            let plan = try migration.plan(
                stage,
                cohort: invocation.value("--cohort"),
                deadline: deadline,
                graceSignIns: grace,
                on: date ?? clock.now
            )
            print(invocation.has("--json") ? json(plan) : plan.text(listing: invocation.has("--list")))
        }
    }

    private static let migrationStage = Command(
        ["migration", "stage"],
        "Set the stage of a cohort; a running gateway goes by it from the next sign-in on.",
        arguments: ["STAGE"],
        options: [cohortOption, deadlineOption, graceOption, .config],
        details:
            "The stages are off, observe, offer, encourage, require and retire. With retire the passwords go at once of "
            + "whoever can do without, and of the others as they sign in; see gatehouse migration plan first."
    ) { (invocation) throws(CommandFailure) in
        guard let stage = MigrationStage(rawValue: invocation.arguments[0]) else { throw noSuchStage }
        guard let cohort = invocation.value("--cohort") else {
            throw CommandFailure(.usage, "--cohort is missing; everyone is whoever is in no other")
        }
        let (deadline, grace) = (try invocation.date("--deadline"), try invocation.number("--grace", in: 0...100) ?? 0)
        try migrating(invocation) { (migration, clock) throws(SignInError) in
            let setting = StageSetting(
                cohort: cohort,
                stage: stage,
                deadline: deadline,
                graceSignIns: grace,
                setAt: clock.now
            )
            try migration.set(setting, by: operatorName)
            let retired = stage == .retire ? try migration.retireAll(in: cohort) : 0
            print("\(cohort) is at \(stage.rawValue)." + (stage == .retire ? " Retired \(retired) passwords." : ""))
        }
    }

    private static let migrationReinstate = Command(
        ["migration", "reinstate"],
        "Let accounts have a password again, and demand nothing of them until their stage is set anew.",
        options: [
            Command.Option(name: "--account", value: "USERNAME", summary: "One of them; may stand several times."),
            Command.Option(name: "--cohort", value: "NAME", summary: "All of it whose password was retired."),
            .config,
        ],
        details: "A retired password is gone; gatehouse account recover makes a link to set another."
    ) { (invocation) throws(CommandFailure) in
        guard invocation.has("--account") || invocation.has("--cohort") else {
            throw CommandFailure(.usage, "name accounts or a cohort; see gatehouse migration reinstate --help")
        }
        let composition = try Composition(try .load(invocation), role: .command, log: .silent)
        defer { composition.storage.stop() }
        do throws(SignInError) {
            let migration = composition.migration
            var accounts: [Account] = []
            for name in invocation.values("--account") { accounts.append(try composition.accounts.find(name)) }
            if let cohort = invocation.value("--cohort") { accounts += try migration.retired(in: cohort) }
            for account in accounts { try migration.reinstate(account, by: operatorName) }
            print("Reinstated \(accounts.count).")
        } catch { throw CommandFailure(error) }
    }
}

extension Gatehouse {
    private static let stageOption = Command.Option(
        name: "--stage",
        value: "STAGE",
        summary: "off, observe, offer, encourage, require or retire; required."
    )
    private static let cohortOption = Command.Option(
        name: "--cohort",
        value: "NAME",
        summary: "One of migration.cohorts, or everyone: whoever is in no other."
    )
    private static let deadlineOption = Command.Option(
        name: "--deadline",
        value: "DATE",
        summary: "From when on a password alone won't do (0:00 UTC); at once by default."
    )
    private static let graceOption = Command.Option(
        name: "--grace",
        value: "N",
        summary: "How many sign-ins with a password alone are let pass after the deadline; 0 by default."
    )

    fileprivate static let noSuchStage = CommandFailure(
        .usage,
        "the stages are \(MigrationStage.allCases.map(\.rawValue).joined(separator: ", "))"
    )

    /// Who runs the command, for the audit log.
    private static var operatorName: String {
        for name in ["SUDO_USER", "USER", "LOGNAME"] {
            if let value = unsafe getenv(name), case let text = unsafe String(cString: value), !text.isEmpty {
                return text
            }
        }
        return "user \(getuid())"
    }

    private static func migrating(
        _ invocation: Invocation,
        _ body: (MigrationService, any Clock) throws(SignInError) -> Void
    ) throws(CommandFailure) {
        let composition = try Composition(try .load(invocation), role: .command, log: .silent)
        defer { composition.storage.stop() }
        guard composition.configuration.migration.offering != .off else {
            throw CommandFailure(
                .config,
                "migration.offer is off in the configuration, so that no stage means anything"
            )
        }
        do throws(SignInError) { try body(composition.migration, composition.clock) } catch {
            throw CommandFailure(error)
        }
    }
}

extension Invocation {
    fileprivate func stage() throws(CommandFailure) -> MigrationStage? {
        guard let text = value("--stage") else { return nil }
        guard let stage = MigrationStage(rawValue: text) else { throw Gatehouse.noSuchStage }
        return stage
    }

    fileprivate func number(_ option: String, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw CommandFailure(.usage, "\(option) takes \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Midnight of a day, UTC.
    fileprivate func date(_ option: String) throws(CommandFailure) -> Timestamp? {
        guard let text = value(option) else { return nil }
        guard let date = Timestamp(date: text) else {
            throw CommandFailure(.usage, "\(option) takes a day such as 2027-03-01")
        }
        return date
    }
}
