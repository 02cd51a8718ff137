import FoundationEssentials
import GatehouseCore
import GatehouseKit
import Wire

/// What `firebase auth:export users.json` writes.
enum FirebaseExport {
    private struct User: Decodable {
        let email: String?
        let displayName: String?
        let disabled: Bool?
        let passwordHash: String?
        let salt: String?
    }

    static func open(_ path: String, _ parameters: FirebaseParameters?) throws(SourceFault) -> DocumentSource {
        guard let parameters else {
            throw SourceFault(
                "the hashes need the project's parameters; save them from the Firebase console (Authentication, "
                    + "password hash parameters) and name the file with --firebase-config",
                code: .usage
            )
        }
        return DocumentSource(try DocumentSource.load(path, dividing: "users")) { element in
            try account(element, parameters)
        }
    }

    private static func account(_ element: Data, _ parameters: FirebaseParameters) throws -> ForeignAccount? {
        let user = try JSONDecoder().decode(User.self, from: element)
        return ForeignAccount(
            username: nil,
            email: user.email,
            displayName: user.displayName,
            isDisabled: user.disabled == true,
            storedSecret: user.passwordHash.map { parameters.hash($0, salt: user.salt ?? "") }
        )
    }
}

/// The parameters of a Firebase project, as its console shows them: a line for each, its name and its value.
struct FirebaseParameters {
    private let signerKey: String
    private let saltSeparator: String
    private let rounds: String
    private let memoryCost: String

    /// - Throws: unless all four are there.
    init(_ path: String) throws(SourceFault) {
        let file = try InputFile(path)
        var values: [String: String] = [:]
        while let line = try file.line() {
            let words = String(decoding: line, as: UTF8.self).split { " \t\r,:\"".contains($0) }
            if words.count == 2 { values[String(words[0])] = String(words[1]) }
        }
        guard let key = values["base64_signer_key"], let separator = values["base64_salt_separator"],
            let rounds = values["rounds"], let cost = values["mem_cost"]
        else { throw SourceFault("must give base64_signer_key, base64_salt_separator, rounds and mem_cost") }
        (signerKey, saltSeparator) = (standardBase64(key), standardBase64(separator))
        (self.rounds, memoryCost) = (rounds, cost)
    }

    /// A hash of this project in the form that says it all.
    func hash(_ text: String, salt: String) -> String {
        "$firescrypt$ln=\(memoryCost),r=\(rounds),p=1$\(standardBase64(salt))$\(standardBase64(text))"
            + "$\(saltSeparator)$\(signerKey)"
    }
}
