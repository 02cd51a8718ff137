import GatehouseCore
import GatehouseKit
import HTTPFront
import Storage

extension Gatehouse {
    static let accountLink = Command(
        ["account", "link"],
        "Link a subject of an OpenID Connect issuer to an account, such as a workload's.",
        arguments: ["USERNAME", "SUBJECT"],
        options: [
            Command.Option(name: "--issuer", value: "NAME", summary: "Its name under providers.oidc."),
            .config,
        ],
        details: """
            The issuer's tokens for this subject then stand for the account: where a rule takes them from machines, and at
            sign-in, if it ever gets one for that.
            """
    ) { (invocation) throws(CommandFailure) in
        let composition = try Composition(try .load(invocation), role: .command, log: .silent)
        defer { composition.storage.stop() }
        let kind = invocation.value("--issuer").flatMap(CredentialKind.init(issuerNamed:))
        guard let kind, let provider = composition.services.registry[kind] as? any LinkingProvider else {
            throw CommandFailure(.usage, "--issuer must be the name of one under providers.oidc")
        }
        do throws(SignInError) {
            let account = try composition.accounts.find(invocation.arguments[0])
            let credential = try provider.credential(linking: invocation.arguments[1])
            try composition.accounts.add(credential, kind: kind, to: account.id)
            print("Linked a subject of \(kind) to \(account.username).")
        } catch { throw CommandFailure(error) }
    }
}
