extension YAMLNode {
    /// Every value by its path, wherever it stands.
    var values: [String: String] { values(at: "") }

    private func values(at path: String) -> [String: String] {
        switch self {
        case .scalar(let text, let isPlain, _): return [path: isPlain ? text : "\"\(text)\""]
        case .sequence(let items, _):
            let parts = items.enumerated().map { ("\(path)[\($0.offset)]", $0.element) }
            return Self.values(of: parts, or: [path: "[]"])
        case .mapping(let pairs, _):
            let parts = pairs.map { (path.isEmpty ? $0.key : "\(path).\($0.key)", $0.value) }
            return Self.values(of: parts, or: [path: "{}"])
        }
    }

    private static func values(of parts: [(path: String, node: YAMLNode)], or none: [String: String]) -> [String:
        String]
    {
        guard !parts.isEmpty else { return none }
        return parts.reduce(into: [:]) { all, part in
            all.merge(part.node.values(at: part.path)) { first, _ in first }
        }
    }
}
