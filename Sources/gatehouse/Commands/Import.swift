import GatehouseCore
import GatehouseKit
import HTTPFront
import Storage

extension Gatehouse {
    static let importAccounts = Command(
        ["import"],
        "Add the accounts of another system, with the hashes of their passwords.",
        arguments: ["FILE"],
        options: [
            Command.Option(
                name: "--format",
                value: "NAME",
                summary: "One of \(ImportFormat.names); guessed where the file leaves no doubt."
            ),
            Command.Option(
                name: "--dry-run",
                value: nil,
                summary: "Say what would become of each record; change nothing."
            ),
            Command.Option(
                name: "--firebase-config",
                value: "FILE",
                summary: "The password hash parameters of a Firebase project, as its console shows them."
            ),
            .config, .json,
        ],
        details: """
            csv       a header, then username,email,display_name,groups,password_hash,disabled in any order, as many of them as
                      there are; groups are separated by semicolons
            jsonl     an object of the same names on each line; groups is an array
            htpasswd  name:hash on each line, as for Apache and nginx
            authelia  users.yml of Authelia
            django    manage.py dumpdata auth.user auth.group
            keycloak  kc.sh export with users, as one file
            firebase  firebase auth:export users.json
            clerk     the CSV export of Clerk's dashboard
            kratos    identities of Ory Kratos, listed with include_credential=password

            A name is what the person types to sign in; where there is none, the e-mail address takes its place. The password of
            an account stays what it was, and at its first sign-in the hash is replaced by one of ours. Hashes that are not
            supported or cost too much to check, and plain text, are refused. An account that has the name or the address of a
            record is left as it is.

            Records that are refused are listed with their line, the others are imported all the same, and the command ends with
            code 65. It may be run again at any time, beside a gateway that serves, and then adds what is missing.
            """
    ) { (invocation) throws(CommandFailure) in
        let source = try ImportSource(invocation)
        let composition = try Composition(try .load(invocation), role: .command, log: .silent)
        defer { composition.storage.stop() }
        guard let provider = composition.services.registry.importing else {
            throw CommandFailure(.config, "passwords are switched off; switch them on under providers to import hashes")
        }
        let run = AccountImport(
            storage: composition.storage,
            provider: provider,
            clock: composition.clock,
            isDryRun: invocation.has("--dry-run")
        )
        let report = ImportReport(isDryRun: invocation.has("--dry-run"), isJSON: invocation.has("--json"))
        try source.run(run, report)
    }
}

/// The file that is imported.
private struct ImportSource {
    private let path: String
    private let source: any AccountSource

    init(_ invocation: Invocation) throws(CommandFailure) {
        path = invocation.arguments[0]
        let format = try Self.format(invocation)
        let parameters: FirebaseParameters?
        if let file = invocation.value("--firebase-config") {
            do throws(SourceFault) { parameters = try FirebaseParameters(file) } catch {
                throw CommandFailure(error.code, "\(file): \(error.message)")
            }
        } else {
            parameters = nil
        }
        do throws(SourceFault) { source = try format.open(path, parameters: parameters) } catch {
            throw CommandFailure(error.code, "\(path): \(error.message)")
        }
    }

    private static func format(_ invocation: Invocation) throws(CommandFailure) -> ImportFormat {
        let path = invocation.arguments[0]
        if let name = invocation.value("--format") {
            guard let format = ImportFormat(rawValue: name) else {
                throw CommandFailure(.usage, "--format is one of \(ImportFormat.names)")
            }
            return format
        }
        do throws(SourceFault) {
            guard let format = ImportFormat.guess(try InputFile.beginning(path)) else {
                throw SourceFault("could be anything; say --format and one of \(ImportFormat.names)", code: .usage)
            }
            return format
        } catch { throw CommandFailure(error.code, "\(path): \(error.message)") }
    }

    /// - Throws: if the file ended in nonsense, or a record was refused; everything else is imported by then.
    func run(_ run: AccountImport, _ report: ImportReport) throws(CommandFailure) {
        var (run, report, source) = (run, report, source)
        var fault: SourceFault?
        do throws(SignInError) {
            while let record = Self.next(&source, &fault) {
                report.add(try run.add(record), progress: source.progress)
            }
            report.add(try run.finish(), progress: 1)
        } catch {
            report.finish()
            throw CommandFailure(error).adding("run the command again: what is there by now is left alone")
        }
        report.finish()
        if let fault { throw CommandFailure(fault.code, "\(path): \(fault.message)") }
        if let complaint = report.complaint { throw CommandFailure(.data, complaint) }
    }

    private static func next(_ source: inout any AccountSource, _ fault: inout SourceFault?) -> ForeignRecord? {
        do throws(SourceFault) {
            return try source.next()
        } catch {
            fault = error
            return nil
        }
    }
}
