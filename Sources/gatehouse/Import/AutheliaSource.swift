import GatehouseCore
import GatehouseKit

/// The users file of Authelia: `users: {name: {disabled, displayname, password, email, groups}}`.
struct AutheliaSource: AccountSource {
    private let users: [YAMLNode.Pair]
    private var index = 0

    /// A user has about a dozen.
    private static let maximumNodes = 2_000_000

    init(_ path: String) throws(SourceFault) {
        let text = try InputFile.load(path)
        let root: YAMLNode?
        do throws(YAMLError) {
            root = try YAML.parse(text, maximumNodes: Self.maximumNodes)
        } catch { throw SourceFault("line \(error.line): \(error.message)") }
        guard case .mapping(let sections, _) = root,
            case .mapping(let users, _)? = sections.first(where: { $0.key == "users" })?.value
        else { throw SourceFault("there is no mapping of users in it") }
        self.users = users
    }

    var progress: Double { users.isEmpty ? 1 : Double(index) / Double(users.count) }

    mutating func next() throws(SourceFault) -> ForeignRecord? {
        guard index < users.count else { return nil }
        defer { index += 1 }
        let user = users[index]
        return ForeignRecord(
            .line(user.keyLine),
            Result { () throws(Refusal) in try Self.account(user.key, user.value) }
        )
    }

    private static func account(_ name: String, _ node: YAMLNode) throws(Refusal) -> ForeignAccount {
        guard case .mapping(let pairs, _) = node else {
            throw Refusal(.invalidValue, "the user is not a mapping")
        }
        let members = Dictionary(pairs.map { ($0.key, $0.value) }) { first, _ in first }
        return ForeignAccount(
            username: name,
            email: try text(members["email"]),
            displayName: try text(members["displayname"]),
            groups: try texts(members["groups"]),
            isDisabled: try flag(members["disabled"]),
            storedSecret: try text(members["password"])
        )
    }

    private static func text(_ node: YAMLNode?) throws(Refusal) -> String? {
        switch node {
        case nil, .scalar("null", isPlain: true, _)?, .scalar("~", isPlain: true, _)?: return nil
        case .scalar(let text, _, _)?: return text
        default: throw Refusal(.invalidValue, "a member of the user is not text")
        }
    }

    private static func texts(_ node: YAMLNode?) throws(Refusal) -> [String] {
        guard case .sequence(let items, _)? = node else {
            guard try (text(node) ?? "").isEmpty else { throw Refusal(.invalidValue, "groups must be a list") }
            return []
        }
        var texts: [String] = []
        for item in items { texts.append(try text(item) ?? "") }
        return texts
    }

    private static func flag(_ node: YAMLNode?) throws(Refusal) -> Bool {
        switch try text(node) {
        case nil, "", "false": false
        case "true": true
        default: throw Refusal(.invalidValue, "disabled must be true or false")
        }
    }
}
