import GatehouseCore
import GatehouseKit
import HTTPFront
import Storage

extension Gatehouse {
    static let sessionCommands: [Command] = [sessionList, sessionRevoke]

    private static let sessionList = Command(
        ["session", "list"],
        "List the live sessions of an account, newest first.",
        arguments: ["USERNAME"],
        options: [.config, .json]
    ) { (invocation) throws(CommandFailure) in
        let composition = try Composition(try .load(invocation), role: .command, log: .silent)
        defer { composition.storage.stop() }
        do throws(SignInError) {
            let account = try composition.accounts.find(invocation.arguments[0])
            for session in try composition.services.sessions.sessions(of: account.id) {
                let line = SessionLine(session)
                print(invocation.has("--json") ? json(line) : line.text)
            }
        } catch { throw CommandFailure(error) }
    }

    private static let sessionRevoke = Command(
        ["session", "revoke"],
        "End the sessions of an account, or one of them; a running gateway notices within a second.",
        arguments: ["USERNAME"],
        options: [
            Command.Option(name: "--session", value: "ID", summary: "Only this one; see gatehouse session list."),
            .config,
        ]
    ) { (invocation) throws(CommandFailure) in
        let composition = try Composition(try .load(invocation), role: .command, log: .silent)
        defer { composition.storage.stop() }
        do throws(SignInError) {
            let account = try composition.accounts.find(invocation.arguments[0])
            let sessions = composition.services.sessions
            let event = AuditEvent(at: composition.clock.now, action: .sessionsEnded, account: account.id)
            guard let text = invocation.value("--session") else {
                let count = try sessions.end(.account(account.id, except: nil), by: event)
                return print("Ended \(count) \(count == 1 ? "session" : "sessions") of \(account.username).")
            }
            guard let id = SessionID(untrusted: text), try sessions.end(id, of: account.id, by: event) else {
                throw .refused(Refusal(.notFound, "the account has no such live session"))
            }
            print("Ended the session \(text) of \(account.username).")
        } catch { throw CommandFailure(error) }
    }
}

/// One session, as the list shows it.
private struct SessionLine: Encodable {
    let id: String
    let methods: [String]
    let assurance: String
    let createdAt: Timestamp
    let lastSeenAt: Timestamp
    let expiresAt: Timestamp
    let ipAddress: String?
    let userAgent: String?

    init(_ session: StoredSession) {
        id = session.id.text
        methods = session.methods.map(\.description)
        assurance = session.assurance.rawValue
        createdAt = session.createdAt
        lastSeenAt = session.lastSeenAt
        expiresAt = session.expiresAt
        ipAddress = session.address
        userAgent = session.userAgent
    }

    var text: String {
        "\(id)  \(methods.joined(separator: ","))  \(assurance)  last seen \(lastSeenAt.rfc3339)"
            + (ipAddress.map { " from \($0)" } ?? "")
    }
}
