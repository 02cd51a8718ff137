import FoundationEssentials
import GatehouseCore
import GatehouseKit
import Wire

/// A realm as `kc.sh export` writes it, with its users.
enum KeycloakExport {
    private struct User: Decodable {
        let username: String?
        let email: String?
        let firstName: String?
        let lastName: String?
        let enabled: Bool?
        let groups: [String]?
        let credentials: [Credential]?
    }

    /// Secret and parameters are JSON in a string.
    private struct Credential: Decodable {
        let type: String
        let secretData: String?
        let credentialData: String?
    }

    private struct Secret: Decodable {
        let value: String
        let salt: String
    }

    private struct Parameters: Decodable {
        let hashIterations: Int
        let algorithm: String
        let additionalParameters: [String: [String]]?
    }

    static func open(_ path: String) throws(SourceFault) -> DocumentSource {
        DocumentSource(try DocumentSource.load(path, dividing: "users"), account)
    }

    private static func account(_ element: Data) throws -> ForeignAccount? {
        let user = try JSONDecoder().decode(User.self, from: element)
        return ForeignAccount(
            username: user.username,
            email: user.email,
            displayName: fullName(user.firstName, user.lastName),
            // A path; groups in groups have no like here, and their names are refused.
            groups: (user.groups ?? []).map { $0.hasPrefix("/") ? String($0.dropFirst()) : $0 },
            isDisabled: user.enabled == false,
            storedSecret: try user.credentials?.first { $0.type == "password" }.map(hash)
        )
    }

    private static func hash(_ credential: Credential) throws(Refusal) -> String {
        guard let secret: Secret = embedded(credential.secretData),
            let parameters: Parameters = embedded(credential.credentialData)
        else { throw Refusal(.invalidValue, "secretData or credentialData can't be read") }
        switch parameters.algorithm {
        case "pbkdf2": return "$pbkdf2-sha1$\(parameters.hashIterations)$\(secret.salt)$\(secret.value)"
        case "pbkdf2-sha256", "pbkdf2-sha512":
            return "$\(parameters.algorithm)$\(parameters.hashIterations)$\(secret.salt)$\(secret.value)"
        case "argon2": return try argon2(parameters, secret)
        default: throw Refusal(.invalidValue, "hashes of this algorithm are not supported")
        }
    }

    private static func embedded<Value: Decodable>(_ text: String?) -> Value? {
        guard let bytes = text.map({ Array($0.utf8) }), (try? StrictJSON.check(bytes)) != nil else { return nil }
        return try? JSONDecoder().decode(Value.self, from: Data(bytes))
    }

    private static func argon2(_ parameters: Parameters, _ secret: Secret) throws(Refusal) -> String {
        let others = parameters.additionalParameters ?? [:]
        guard let type = others["type"]?.first, let memory = others["memory"]?.first,
            let lanes = others["parallelism"]?.first, let version = versions[others["version"]?.first ?? "1.3"]
        else { throw Refusal(.invalidValue, "parameters of the Argon2 hash are missing") }
        let cost = "m=\(memory),t=\(parameters.hashIterations),p=\(lanes)"
        return "$argon2\(type)$\(version)\(cost)$\(unpadded(secret.salt))$\(unpadded(secret.value))"
    }

    private static let versions = ["1.3": "v=19$", "1.0": ""]

    private static func unpadded(_ text: String) -> String { String(text.reversed().drop { $0 == "=" }.reversed()) }
}
