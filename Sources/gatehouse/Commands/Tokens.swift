import GatehouseCore
import GatehouseKit
import HTTPFront
import Storage

extension Gatehouse {
    static let tokenCommands = [tokenList, tokenRevoke]

    private static let tokenList = Command(
        ["token", "list"],
        "List the personal access tokens of an account, newest first.",
        arguments: ["USERNAME"],
        options: [.config, .json]
    ) { (invocation) throws(CommandFailure) in
        let composition = try Composition(try .load(invocation), role: .command, log: .silent)
        defer { composition.storage.stop() }
        do throws(SignInError) {
            let account = try composition.accounts.find(invocation.arguments[0])
            for token in try composition.services.machines.tokens.list(of: account.id) {
                let line = TokenLine(token, at: composition.clock.now)
                print(invocation.has("--json") ? json(line) : line.text)
            }
        } catch { throw CommandFailure(error) }
    }

    private static let tokenRevoke = Command(
        ["token", "revoke"],
        "Revoke personal access tokens of an account; all of them, unless some are named.",
        arguments: ["USERNAME"],
        options: [
            Command.Option(name: "--id", value: "ID", summary: "One that token list shows; may stand several times."),
            .config,
        ]
    ) { (invocation) throws(CommandFailure) in
        let composition = try Composition(try .load(invocation), role: .command, log: .silent)
        defer { composition.storage.stop() }
        do throws(SignInError) {
            let account = try composition.accounts.find(invocation.arguments[0])
            let tokens = composition.services.machines.tokens
            var count = 0
            for id in invocation.values("--id") {
                count += try tokens.revoke(.one(CredentialID(stored: id)), of: account.id)
            }
            if !invocation.has("--id") { count = try tokens.revoke(.account(account.id), of: account.id) }
            print("Revoked \(count).")
        } catch { throw CommandFailure(error) }
    }
}

/// One access token in a list.
private struct TokenLine: Encodable {
    let id: String
    let name: String
    let hosts: [String]
    let paths: [String]
    let methods: [String]
    let createdAt: Timestamp
    let expiresAt: Timestamp
    let lastUsedAt: Timestamp?
    let expired: Bool

    init(_ token: StoredAccessToken, at now: Timestamp) {
        id = token.id.text
        name = token.name
        hosts = token.scope.hosts.map(\.description)
        paths = token.scope.paths.map(\.description)
        methods = token.scope.methods
        createdAt = token.createdAt
        expiresAt = token.expiresAt
        lastUsedAt = token.lastUsedAt
        expired = token.expiresAt <= now
    }

    var text: String {
        let scope = (hosts + paths + methods).joined(separator: " ")
        let end = expired ? "expired" : "until \(expiresAt.rfc3339)"
        return "\(id) \(name): \(scope), \(end), \(lastUsedAt.map { "used \($0.rfc3339)" } ?? "never used")"
    }
}
