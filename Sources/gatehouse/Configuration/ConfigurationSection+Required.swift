/// What has no default.
extension ConfigurationSection {
    func required<Value>(_ key: String, _ expected: String, _ make: (String) -> Value?) -> Value? {
        let before = problems.lines.count
        let value = value(key, expected, make)
        if value == nil, problems.lines.count == before { problem(nil, key, "must be \(expected)") }
        return value
    }

    /// Reads a list that has to have something in it.
    func requiredList<Value>(_ key: String, _ expected: String, _ make: (String) -> Value?) -> [Value] {
        let before = problems.lines.count
        let values = list(key, expected, make) ?? []
        if values.isEmpty, problems.lines.count == before {
            problem(nil, key, "must not be empty: each is \(expected)")
        }
        return values
    }
}
