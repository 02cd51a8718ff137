import Wire

extension ImportFormat {
    /// The format of a file, from how it begins.
    ///
    /// - Returns: `nil` unless exactly one is possible.
    static func guess(_ beginning: String) -> ImportFormat? {
        let lines = beginning.split(whereSeparator: \.isNewline)
        guard let first = lines.first(where: { !$0.hasPrefix("#") && $0 != "---" }) else { return nil }
        let candidates = allCases.filter { $0.mayBegin(beginning, String(first), lines) }
        return candidates.count == 1 ? candidates.first : nil
    }

    /// - Parameter first: The first line that isn't empty or a comment.
    private func mayBegin(_ text: String, _ first: String, _ lines: [Substring]) -> Bool {
        let (isArray, isObject) = (first.hasPrefix("["), first.hasPrefix("{"))
        let isLine = isObject && (try? StrictJSON.check(Array(first.utf8))) != nil
        func has(_ member: String) -> Bool { text.contains("\"\(member)\"") }
        return switch self {
        case .csv: !Self.titles(first).isEmpty && Self.titles(first).allSatisfy(HouseTable.columns.contains)
        case .clerk: Self.titles(first).contains("password_digest")
        case .jsonl: isLine && (has("username") || has("email")) && !has("users")
        case .htpasswd: Self.isNameAndHash(first)
        case .authelia: lines.contains { $0.hasPrefix("users:") }
        case .django: isArray && has("model") && has("fields")
        case .kratos: (isArray || isObject) && has("traits") && has("schema_id")
        case .keycloak: isObject && has("realm")
        case .firebase: isObject && has("localId") && has("users")
        }
    }

    private static func titles(_ line: String) -> [String] {
        line.split(separator: ",").map { title in String(title.filter { $0 != "\"" && $0 != "\u{FEFF}" }) }
    }

    private static func isNameAndHash(_ line: String) -> Bool {
        let parts = line.split(separator: ":", maxSplits: 1)
        return parts.count == 2 && (parts[1].hasPrefix("$") || parts[1].hasPrefix("{S"))
    }
}
