/// Any JSON, to look at its shape and to change one member.
public enum JSONValue: Equatable, Sendable {
    case object([String: JSONValue])
    case array([JSONValue])
    case string(String)
    case number(Double)
    case bool(Bool)
    case null
}

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .bool(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let items = try? container.decode([JSONValue].self) {
            self = .array(items)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .object(let members): try container.encode(members)
        case .array(let items): try container.encode(items)
        case .string(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .bool(let flag): try container.encode(flag)
        case .null: try container.encodeNil()
        }
    }
}

extension JSONValue {
    public subscript(name: String) -> JSONValue? {
        get {
            guard case .object(let members) = self else { return nil }
            return members[name]
        }
        set {
            guard case .object(var members) = self else { return }
            members[name] = newValue
            self = .object(members)
        }
    }

    /// The value under names within names.
    public subscript(path: [String]) -> JSONValue? {
        get { path.reduce(self) { $0?[$1] } }
        set {
            guard let name = path.first else { return }
            if path.count == 1 {
                self[name] = newValue
            } else {
                self[name]?[Array(path.dropFirst())] = newValue
            }
        }
    }

    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The names and the types without the values; a list shows each shape in it once, however long it is.
    public var shape: String {
        switch self {
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value.shape)" }.joined(separator: ",") + "}"
        case .array(let items): "[" + Set(items.map(\.shape)).sorted().joined(separator: "|") + "]"
        case .string: "string"
        case .number: "number"
        case .bool: "bool"
        case .null: "null"
        }
    }
}
