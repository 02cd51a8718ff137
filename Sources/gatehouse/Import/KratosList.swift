import FoundationEssentials
import GatehouseCore
import GatehouseKit
import Wire

/// Identities of Ory Kratos as its administrative interface lists them, with `include_credential=password`.
enum KratosList {
    private struct Identity: Decodable {
        let state: String?
        let traits: Traits
        let credentials: Credentials?
    }

    private struct Credentials: Decodable {
        let password: Password?

        struct Password: Decodable {
            let identifiers: [String]?
            let config: Config?
        }
        struct Config: Decodable { let hashed_password: String? }
    }

    /// Traits are of the operator's own schema; these are the names in the ones that Ory gives as examples.
    private struct Traits: Decodable {
        let username: String?
        let email: String?
        let name: Name?
    }

    private enum Name: Decodable {
        case whole(String)
        case parts(first: String?, last: String?)

        private enum CodingKeys: CodingKey { case first, last }

        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                self = .whole(text)
                return
            }
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self = .parts(
                first: try members.decodeIfPresent(String.self, forKey: .first),
                last: try members.decodeIfPresent(String.self, forKey: .last)
            )
        }

        var text: String? {
            switch self {
            case .whole(let text): text
            case .parts(let first, let last): fullName(first, last)
            }
        }
    }

    static func open(_ path: String) throws(SourceFault) -> DocumentSource {
        DocumentSource(try DocumentSource.load(path, dividing: "identities"), account)
    }

    private static func account(_ element: Data) throws -> ForeignAccount? {
        let identity = try JSONDecoder().decode(Identity.self, from: element)
        let password = identity.credentials?.password
        return ForeignAccount(
            username: identity.traits.username ?? password?.identifiers?.first,
            email: identity.traits.email,
            displayName: identity.traits.name?.text,
            isDisabled: identity.state == "inactive",
            storedSecret: password?.config?.hashed_password
        )
    }
}
