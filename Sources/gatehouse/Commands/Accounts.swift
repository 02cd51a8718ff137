import FoundationEssentials
import GatehouseCore
import GatehouseKit
import HTTPFront
import Storage

extension Gatehouse {
    static let accountCommands: [Command] = [
        accountAdd, accountList, accountShow,
        switching("disable", true, "Switch an account off and end its sessions."),
        switching("enable", false, "Switch an account on again."),
        accountRecover, accountLink,
    ]

    private static let accountAdd = Command(
        ["account", "add"],
        "Add an account.",
        arguments: ["USERNAME"],
        options: [
            Command.Option(
                name: "--display-name",
                value: "TEXT",
                summary: "What to call the person; the user name by default."
            ),
            Command.Option(name: "--email", value: "ADDRESS", summary: "Sent to applications as Remote-Email."),
            Command.Option(name: "--group", value: "NAME", summary: "A group to put it in; may stand several times."),
            Command.Option(
                name: "--no-password",
                value: nil,
                summary: "Add it without a password; gatehouse account recover then makes a link to enrol a passkey."
            ),
            .config, .json,
        ],
        details: "The password is asked for, or read as one line from standard input."
    ) { (invocation) throws(CommandFailure) in
        let composition = try Composition(try .load(invocation), role: .command, log: .silent)
        defer { composition.storage.stop() }
        let account = try add(invocation, composition)
        print(invocation.has("--json") ? json(AccountLine(account)) : "Added \(account.username) (\(account.id)).")
    }

    private static func add(
        _ invocation: Invocation,
        _ composition: Composition
    ) throws(CommandFailure) -> Account {
        do {
            let profile = try AccountProfile(
                username: invocation.arguments[0],
                displayName: invocation.value("--display-name"),
                email: invocation.value("--email"),
                groups: invocation.values("--group")
            )
            guard !invocation.has("--no-password"), let provider = composition.services.registry.secretSetting else {
                return try composition.accounts.create(profile)
            }
            let password = try PasswordPrompt.newPassword()
            return try composition.accounts.create(profile, kind: provider.kind) {
                (account) throws(SignInError) in try provider.credential(settingTo: password, of: account)
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch let refusal as Refusal {
            throw CommandFailure(.refused(refusal))
        } catch let error as SignInError {
            throw CommandFailure(error)
        } catch {
            throw CommandFailure(.software, "the account could not be added")
        }
    }

    private static let accountList = Command(
        ["account", "list"],
        "List the accounts in the order of their names.",
        options: [.config, .json]
    ) { (invocation) throws(CommandFailure) in
        let composition = try Composition(try .load(invocation), role: .command, log: .silent)
        defer { composition.storage.stop() }
        let isJSON = invocation.has("--json")
        var last: Identifier?
        do throws(ProviderFault) {
            while true {
                let page = try composition.accounts.list(after: last, limit: 500)
                for account in page { print(isJSON ? json(AccountLine(account)) : AccountLine(account).text) }
                guard page.count == 500 else { return }
                last = page.last?.identifier
            }
        } catch { throw CommandFailure(.unavailable(error)) }
    }

    private static let accountShow = Command(
        ["account", "show"],
        "Show an account, its credentials, sessions and latest events.",
        arguments: ["USERNAME"],
        options: [.config, .json]
    ) { (invocation) throws(CommandFailure) in
        let composition = try Composition(try .load(invocation), role: .command, log: .silent)
        defer { composition.storage.stop() }
        do {
            let account = try composition.accounts.find(invocation.arguments[0])
            let details = try AccountDetails(account, composition)
            print(invocation.has("--json") ? json(details) : details.text)
        } catch let error as SignInError {
            throw CommandFailure(error)
        } catch {
            throw CommandFailure(.temporary, "storage does not answer; try again")
        }
    }

    private static func switching(_ verb: String, _ isDisabled: Bool, _ summary: String) -> Command {
        Command(["account", verb], summary, arguments: ["USERNAME"], options: [.config]) {
            (invocation) throws(CommandFailure) in
            let composition = try Composition(try .load(invocation), role: .command, log: .silent)
            defer { composition.storage.stop() }
            do throws(SignInError) {
                let account = try composition.accounts.find(invocation.arguments[0])
                try composition.accounts.setDisabled(isDisabled, account.id)
                print("\(account.username) is \(isDisabled ? "disabled" : "enabled").")
            } catch { throw CommandFailure(error) }
        }
    }

    private static let accountRecover = Command(
        ["account", "recover"],
        "Make a one-time link with which its owner enrols a passkey or sets a password.",
        arguments: ["USERNAME"],
        options: [.config],
        details: "The link works once, for 24 hours; an earlier one stops working."
    ) { (invocation) throws(CommandFailure) in
        let composition = try Composition(try .load(invocation), role: .command, log: .silent)
        defer { composition.storage.stop() }
        do throws(SignInError) {
            let account = try composition.accounts.find(invocation.arguments[0])
            let link = try composition.services.links.issueRecovery(for: account.id)
            print("\(composition.configuration.publicOrigin)/recover#\(link.text)")
        } catch { throw CommandFailure(error) }
    }

    static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

extension Log {
    /// For commands, which say what went wrong themselves.
    static let silent = Log { _ in }
}
