import CYAML

extension YAML {
    /// Refuses a document that is nested too deeply, before libyaml makes a tree of it.
    ///
    /// The time that takes grows with the square of the depth: 64 KiB of brackets cost seconds. Errors of syntax are left
    /// to the second reading, which words them.
    static func checkNesting(of text: [UInt8]) throws(YAMLError) {
        var parser = unsafe yaml_parser_t()
        guard unsafe yaml_parser_initialize(&parser) == 1 else { throw YAMLError(line: 0, message: "out of memory") }
        defer { unsafe yaml_parser_delete(&parser) }
        try unsafe text.withUnsafeBufferPointer { (bytes) throws(YAMLError) in
            unsafe yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
            var depth = 0
            while let (change, line) = unsafe nextEvent(&parser) {
                depth += change
                guard depth <= maximumDepth else { throw YAMLError(line: line, message: "nested too deeply") }
            }
        }
    }

    /// How the next event changes the depth, and its line; `nil` at the end of the document and at an error.
    private static func nextEvent(_ parser: inout yaml_parser_t) -> (change: Int, line: Int)? {
        var event = unsafe yaml_event_t()
        guard unsafe yaml_parser_parse(&parser, &event) == 1 else { return nil }
        defer { unsafe yaml_event_delete(&event) }
        let line = unsafe Int(event.start_mark.line) + 1
        switch unsafe event.type {
        case YAML_STREAM_END_EVENT, YAML_DOCUMENT_END_EVENT: return nil
        case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT: return (1, line)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return (-1, line)
        default: return (0, line)
        }
    }
}
