import FoundationEssentials

extension ConfigurationSection {
    private static var maximumSecretSize: Int { 16_384 }

    /// Reads a secret from where the configuration says: `{file: path}` or `{env: NAME}`, never a value.
    ///
    /// - Returns: its text without white space around it; `nil` if none is named or it can't be read.
    func secret(_ key: String, environment: [String: String]) -> String? {
        let source = section(key)
        defer { source.finish() }
        guard source.line != nil else { return nil }
        let file = source.text("file")
        let variable = source.text("env")
        guard (file == nil) != (variable == nil) else {
            source.problem(nil, "file", "or env must say where the secret is, one of the two")
            return nil
        }
        let text = file.flatMap(Self.read) ?? variable.flatMap { environment[$0] }
        let trimmed = text.map { String($0.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()) }
        guard let trimmed, !trimmed.isEmpty else {
            source.problem(nil, file == nil ? "env" : "file", "holds nothing that can be read")
            return nil
        }
        return trimmed
    }

    private static func read(_ path: String) -> String? {
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= maximumSecretSize else { return nil }
        return String(validating: data, as: UTF8.self)
    }
}
