import FoundationEssentials
import GatehouseKit

/// Secrets stand in files or in the environment, never in the configuration itself.
extension ConfigurationSection {
    /// Reads `{file: …}` or `{env: …}` and makes a value of what is there.
    ///
    /// - Parameter expected: What it must be, for the message, which never shows what was found.
    func secret<Value>(
        _ key: String,
        _ expected: String,
        from environment: [String: String],
        _ make: (Secret) -> Value?
    ) -> Value? {
        take(key).flatMap { value($0, key, expected, environment, make) }
    }

    /// Reads a list of them.
    func secrets<Value>(
        _ key: String,
        _ expected: String,
        from environment: [String: String],
        _ make: (Secret) -> Value?
    ) -> [Value] {
        guard let node = take(key) else { return [] }
        guard case .sequence(let items, _) = node else {
            problem(node, key, "must be a list")
            return []
        }
        return items.compactMap { value($0, key, expected, environment, make) }
    }

    private func value<Value>(
        _ node: YAMLNode,
        _ key: String,
        _ expected: String,
        _ environment: [String: String],
        _ make: (Secret) -> Value?
    ) -> Value? {
        guard let text = Self.text(node, environment), let value = make(text) else {
            problem(node, key, "must be \(expected)")
            return nil
        }
        return value
    }

    private static func text(_ node: YAMLNode, _ environment: [String: String]) -> Secret? {
        guard case .mapping(let pairs, _) = node, pairs.count == 1, let pair = pairs.first,
            case .scalar(let place, _, _) = pair.value
        else { return nil }
        switch pair.key {
        case "file": return file(place)
        case "env": return environment[place].map { Secret($0) }
        default: return nil
        }
    }

    /// The content of a file, without the end of its last line.
    private static func file(_ path: String) -> Secret? {
        guard var bytes = try? Data(contentsOf: URL(filePath: path)), bytes.count <= 65_536 else { return nil }
        while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return Secret([UInt8](bytes))
    }
}
