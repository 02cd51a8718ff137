import FoundationEssentials
import GatehouseCore
import GatehouseKit
import Wire

/// What `manage.py dumpdata auth.user auth.group` writes; the users may be of a model of one's own.
enum DjangoDump {
    private struct Entry: Decodable {
        let model: String
    }

    private struct Group: Decodable {
        let pk: Int
        let fields: Fields
        struct Fields: Decodable { let name: String }
    }

    private struct User: Decodable {
        let fields: Fields

        struct Fields: Decodable {
            let username: String?
            let password: String
            let email: String?
            let first_name: String?
            let last_name: String?
            let is_active: Bool?
            let groups: [GroupName]?
        }
    }

    /// A group by its number, or by its name where the dump was made with `--natural-foreign`.
    private enum GroupName: Decodable {
        case number(Int)
        case name([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .name(try container.decode([String].self))
            }
        }
    }

    static func open(_ path: String) throws(SourceFault) -> DocumentSource {
        let document = try DocumentSource.load(path, dividing: nil)
        let groups = groups(in: document)
        return DocumentSource(document) { element in try account(element, groups) }
    }

    private static func groups(in document: JSONDocument) -> [Int: String] {
        let groups = (0..<document.count).lazy.map { Data(document.element($0)) }
            .filter { (try? JSONDecoder().decode(Entry.self, from: $0))?.model == "auth.group" }
            .compactMap { try? JSONDecoder().decode(Group.self, from: $0) }
        return Dictionary(groups.map { ($0.pk, $0.fields.name) }) { first, _ in first }
    }

    private static func account(_ element: Data, _ groups: [Int: String]) throws -> ForeignAccount? {
        let model = try JSONDecoder().decode(Entry.self, from: element).model
        guard model.split(separator: ".").last == "user" else { return nil }
        let user = try JSONDecoder().decode(User.self, from: element).fields
        return ForeignAccount(
            username: user.username,
            email: user.email,
            displayName: fullName(user.first_name, user.last_name),
            groups: try (user.groups ?? []).map { try name(of: $0, groups) },
            isDisabled: user.is_active == false,
            // An exclamation mark stands for a password that can't be used (django.contrib.auth.hashers).
            storedSecret: user.password.hasPrefix("!") ? nil : user.password
        )
    }

    private static func name(of group: GroupName, _ groups: [Int: String]) throws(Refusal) -> String {
        switch group {
        case .name(let parts): return parts.joined(separator: ".")
        case .number(let number):
            guard let name = groups[number] else {
                throw Refusal(.invalidValue, "a group of the user is not in the dump; dump auth.group as well")
            }
            return name
        }
    }
}
