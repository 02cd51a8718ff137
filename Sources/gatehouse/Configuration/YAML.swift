import CYAML

/// A YAML document as a tree that knows its lines; read through libyaml.
indirect enum YAMLNode {
    /// - Parameter isPlain: Not quoted, so that `true` and `null` mean what they say.
    case scalar(String, isPlain: Bool, line: Int)
    case sequence([YAMLNode], line: Int)
    case mapping([Pair], line: Int)

    struct Pair {
        let key: String
        let keyLine: Int
        let value: YAMLNode
    }

    /// Counted from 1.
    var line: Int {
        switch self {
        case .scalar(_, _, let line), .sequence(_, let line), .mapping(_, let line): line
        }
    }
}

/// Text that isn't YAML, or more of it than a configuration has.
struct YAMLError: Error {
    let line: Int
    let message: String
}

enum YAML {
    static let maximumDepth = 16
    /// What a configuration may have.
    static let maximumNodes = 20_000

    /// - Returns: `nil` for a document without content.
    static func parse(_ text: [UInt8], maximumNodes: Int) throws(YAMLError) -> YAMLNode? {
        try checkNesting(of: text)
        var parser = unsafe yaml_parser_t()
        guard unsafe yaml_parser_initialize(&parser) == 1 else { throw YAMLError(line: 0, message: "out of memory") }
        defer { unsafe yaml_parser_delete(&parser) }
        return try unsafe text.withUnsafeBufferPointer { (bytes) throws(YAMLError) in
            unsafe yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
            return try unsafe load(&parser, maximumNodes)
        }
    }

    private static func load(_ parser: inout yaml_parser_t, _ maximumNodes: Int) throws(YAMLError) -> YAMLNode? {
        var document = unsafe yaml_document_t()
        guard unsafe yaml_parser_load(&parser, &document) == 1 else {
            let message = unsafe parser.problem.map { unsafe String(cString: $0) } ?? "not YAML"
            throw YAMLError(line: unsafe Int(parser.problem_mark.line) + 1, message: message)
        }
        defer { unsafe yaml_document_delete(&document) }
        guard let root = unsafe yaml_document_get_root_node(&document) else { return nil }
        var budget = maximumNodes
        return try unsafe node(root, &document, depth: maximumDepth, &budget)
    }

    private static func node(
        _ pointer: UnsafeMutablePointer<yaml_node_t>,
        _ document: inout yaml_document_t,
        depth: Int,
        _ budget: inout Int
    ) throws(YAMLError) -> YAMLNode {
        let line = unsafe Int(pointer.pointee.start_mark.line) + 1
        budget -= 1
        // An alias may stand inside what it names, and name much more than it is long.
        guard depth > 0, budget > 0 else { throw YAMLError(line: line, message: "nested too deeply, or too large") }
        switch unsafe pointer.pointee.type {
        case YAML_SCALAR_NODE: return unsafe scalar(pointer, line)
        case YAML_SEQUENCE_NODE:
            var items: [YAMLNode] = []
            for index in unsafe Self.items(of: pointer) {
                items.append(try unsafe child(index, &document, line, depth: depth - 1, &budget))
            }
            return .sequence(items, line: line)
        case YAML_MAPPING_NODE: return try unsafe mapping(pointer, &document, line, depth: depth, &budget)
        default: throw YAMLError(line: line, message: "unexpected content")
        }
    }

    private static func mapping(
        _ pointer: UnsafeMutablePointer<yaml_node_t>,
        _ document: inout yaml_document_t,
        _ line: Int,
        depth: Int,
        _ budget: inout Int
    ) throws(YAMLError) -> YAMLNode {
        var pairs: [YAMLNode.Pair] = []
        var names: Set<String> = []
        for (key, value) in unsafe Self.pairs(of: pointer) {
            // A key may be a mapping with such keys: it is as deep as a value.
            let keyNode = try unsafe child(key, &document, line, depth: depth - 1, &budget)
            guard case .scalar(let name, _, let keyLine) = keyNode else {
                throw YAMLError(line: line, message: "a key must be text")
            }
            guard names.insert(name).inserted else {
                throw YAMLError(line: keyLine, message: "the key \(name) stands twice")
            }
            let node = try unsafe child(value, &document, line, depth: depth - 1, &budget)
            pairs.append(YAMLNode.Pair(key: name, keyLine: keyLine, value: node))
        }
        return .mapping(pairs, line: line)
    }

    private static func child(
        _ index: Int32,
        _ document: inout yaml_document_t,
        _ line: Int,
        depth: Int,
        _ budget: inout Int
    ) throws(YAMLError) -> YAMLNode {
        guard let pointer = unsafe yaml_document_get_node(&document, index) else {
            throw YAMLError(line: line, message: "damaged document")
        }
        return try unsafe node(pointer, &document, depth: depth, &budget)
    }

    private static func scalar(_ pointer: UnsafeMutablePointer<yaml_node_t>, _ line: Int) -> YAMLNode {
        let scalar = unsafe pointer.pointee.data.scalar
        let text = unsafe String(
            decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length),
            as: UTF8.self
        )
        return .scalar(text, isPlain: unsafe scalar.style == YAML_PLAIN_SCALAR_STYLE, line: line)
    }

    private static func items(of pointer: UnsafeMutablePointer<yaml_node_t>) -> [Int32] {
        let items = unsafe pointer.pointee.data.sequence.items
        guard let start = unsafe items.start, let top = unsafe items.top else { return [] }
        return unsafe Array(UnsafeBufferPointer(start: start, count: top - start))
    }

    private static func pairs(of pointer: UnsafeMutablePointer<yaml_node_t>) -> [(Int32, Int32)] {
        let pairs = unsafe pointer.pointee.data.mapping.pairs
        guard let start = unsafe pairs.start, let top = unsafe pairs.top else { return [] }
        return unsafe UnsafeBufferPointer(start: start, count: top - start).map { ($0.key, $0.value) }
    }
}
