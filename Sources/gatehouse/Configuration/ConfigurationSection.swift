import GatehouseKit

/// One mapping of the configuration while it is read.
///
/// Every read names its key, so that whatever is left over at the end is a mistake: a misspelt `requird` must not silently
/// mean the default.
final class ConfigurationSection {
    let path: String
    let line: Int?
    let problems: ConfigurationProblems
    private var pairs: [YAMLNode.Pair]
    private var known: [String] = []

    init(_ node: YAMLNode?, path: String, problems: ConfigurationProblems) {
        self.path = path
        self.problems = problems
        line = node?.line
        switch node {
        case nil: pairs = []
        case .mapping(let pairs, _)?: self.pairs = pairs
        case .scalar("", isPlain: true, _)?: pairs = []
        case let other?:
            pairs = []
            problems.add(other.line, path, "must be a mapping")
        }
    }

    private func path(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// Takes the node of a key out; a plain empty value is as good as none.
    func take(_ key: String) -> YAMLNode? {
        known.append(key)
        guard let index = pairs.firstIndex(where: { $0.key == key }) else { return nil }
        let node = pairs.remove(at: index).value
        if case .scalar(let text, isPlain: true, _) = node, text.isEmpty || text == "null" || text == "~" { return nil }
        return node
    }

    func has(_ key: String) -> Bool { pairs.contains { $0.key == key } }

    func problem(_ node: YAMLNode?, _ key: String, _ message: String) {
        problems.add(node?.line ?? line, path(key), message)
    }

    func section(_ key: String) -> ConfigurationSection {
        ConfigurationSection(take(key), path: path(key), problems: problems)
    }

    /// Reports keys that nobody asked for, with the nearest one that somebody did.
    func finish() {
        for pair in pairs.prefix(Self.listedUnknown) {
            let hint = nearestKnown(to: pair.key).map { "; did you mean \($0)?" } ?? ""
            problems.add(pair.keyLine, path(pair.key), "unknown key\(hint)")
        }
        if let next = pairs.dropFirst(Self.listedUnknown).first {
            problems.add(next.keyLine, path(next.key), "and \(pairs.count - Self.listedUnknown) more unknown keys")
        }
    }

    /// How many unknown keys of one section are named: whoever has more of them has another file in hand.
    private static let listedUnknown = 100

    /// The key that was meant, if it takes three changed letters at most.
    private func nearestKnown(to key: String) -> String? {
        // Lengths first: a key may be as long as the file.
        known.filter { abs($0.utf8.count - key.utf8.count) <= 3 }
            .map { (name: $0, distance: Self.distance($0, key)) }
            .filter { $0.distance <= 3 }
            .min { $0.distance < $1.distance }?.name
    }

    /// How many letters to change to get from one to the other (Levenshtein).
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right.utf8)
        var row = Array(0...right.count)
        for (i, a) in left.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (a == b ? 0 : 1))
                diagonal = row[j + 1]
                row[j + 1] = next
            }
        }
        return row[right.count]
    }
}

extension ConfigurationSection {
    /// Reads a scalar and makes a value of it.
    ///
    /// - Parameter expected: What it must be, for the message.
    func value<Value>(_ key: String, _ expected: String, _ make: (String) -> Value?) -> Value? {
        guard let node = take(key) else { return nil }
        guard case .scalar(let text, _, _) = node else {
            problem(node, key, "must be \(expected)")
            return nil
        }
        guard let value = make(text) else {
            problem(node, key, "must be \(expected), not \"\(text.prefix(64))\"")
            return nil
        }
        return value
    }

    /// Reads everything that is left, whatever its name, as text.
    func texts() -> [(name: String, value: String)] {
        pairs.map(\.key).compactMap { key in value(key, "text") { (key, $0) } }
    }

    func text(_ key: String) -> String? { value(key, "text") { $0.isEmpty ? nil : $0 } }

    func flag(_ key: String, default fallback: Bool) -> Bool {
        value(key, "true or false") { $0 == "true" ? true : $0 == "false" ? false : nil } ?? fallback
    }

    func integer(_ key: String, in range: ClosedRange<Int>, default fallback: Int) -> Int {
        value(key, "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        } ?? fallback
    }

    func duration(
        _ key: String,
        in range: ClosedRange<Timestamp.Span>,
        default fallback: Timestamp.Span
    ) -> Timestamp.Span {
        value(
            key,
            "a duration from \(Duration.text(range.lowerBound)) to \(Duration.text(range.upperBound)), such as 10m"
        ) {
            text in Duration.parse(text).flatMap { range.contains($0) ? $0 : nil }
        } ?? fallback
    }

    func choice<Value: RawRepresentable & CaseIterable>(
        _ key: String,
        default fallback: Value
    ) -> Value where Value.RawValue == String {
        let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
        return value(key, "one of \(names)") { Value(rawValue: $0) } ?? fallback
    }

    /// Reads a list, each item with its line.
    func list<Value>(_ key: String, _ expected: String, _ make: (String) -> Value?) -> [Value]? {
        guard let node = take(key) else { return nil }
        guard case .sequence(let items, _) = node else {
            problem(node, key, "must be a list")
            return nil
        }
        return items.compactMap { item in
            guard case .scalar(let text, _, _) = item, let value = make(text) else {
                problem(item, key, "each must be \(expected)")
                return nil
            }
            return value
        }
    }

    /// Reads a list that narrows something down.
    ///
    /// One that is there must have something in it: a list whose items were commented out would open a rule to everything.
    func restriction<Value>(_ key: String, _ expected: String, _ make: (String) -> Value?) -> [Value] {
        let isThere = has(key)
        let before = problems.lines.count
        let values = list(key, expected, make) ?? []
        if isThere, values.isEmpty, problems.lines.count == before {
            problem(nil, key, "must not be empty; leave the key out if it doesn't matter")
        }
        return values
    }

    func texts(_ key: String) -> [String] { list(key, "text") { $0.isEmpty ? nil : $0 } ?? [] }

    /// Reads a list of mappings.
    func sections(_ key: String) -> [ConfigurationSection]? {
        guard let node = take(key) else { return nil }
        guard case .sequence(let items, _) = node else {
            problem(node, key, "must be a list")
            return nil
        }
        return items.enumerated().map { index, item in
            ConfigurationSection(item, path: "\(path(key))[\(index)]", problems: problems)
        }
    }
}

/// Durations as operators write them: a number and one of `ms`, `s`, `m`, `h`, `d`.
///
/// Bare numbers are refused: nobody agrees on their unit.
enum Duration {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    static func parse(_ text: String) -> Timestamp.Span? {
        for unit in units where text.hasSuffix(unit.suffix) {
            let digits = text.dropLast(unit.suffix.count)
            guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let count = Int64(digits) else { continue }
            let (product, overflow) = count.multipliedReportingOverflow(by: unit.milliseconds)
            return overflow ? nil : Timestamp.Span(milliseconds: product)
        }
        return nil
    }

    static func text(_ span: Timestamp.Span) -> String {
        let unit = units.last { span.milliseconds % $0.milliseconds == 0 && span.milliseconds >= $0.milliseconds }
        return unit.map { "\(span.milliseconds / $0.milliseconds)\($0.suffix)" } ?? "0s"
    }
}
