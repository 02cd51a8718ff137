import CMicroHTTPD

/// The headers of a request, where libmicrohttpd keeps them: a linked list, in the order sent.
///
/// Each look-up walks the list. Ten headers take less time to walk than a table of them to fill, and it allocates nothing.
@safe
struct RequestHeaders {
    private let connection: OpaquePointer

    /// - Parameter connection: Must outlive this value.
    init(_ connection: OpaquePointer) {
        unsafe self.connection = connection
    }

    func value(of name: StaticString) -> HTTPRequest.HeaderValue {
        var search = unsafe Search(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        unsafe withUnsafeMutablePointer(to: &search) {
            _ = unsafe MHD_get_connection_values_n(connection, .HEADER_KIND, visitHeaderInSearch, $0)
        }
        return search.result
    }

    var all: [(name: String, value: String)] {
        var list = List()
        unsafe withUnsafeMutablePointer(to: &list) {
            _ = unsafe MHD_get_connection_values_n(connection, .HEADER_KIND, visitHeaderInList, $0)
        }
        return list.headers
    }

    /// Checks every line of the head.
    func scan(_ scan: inout HeadScan) {
        unsafe withUnsafeMutablePointer(to: &scan) {
            _ = unsafe MHD_get_connection_values_n(connection, .HEADER_KIND, visitHeaderInScan, $0)
        }
    }

    @safe
    struct Search {
        private let name: UnsafeBufferPointer<UInt8>
        private(set) var result = HTTPRequest.HeaderValue.absent

        init(_ name: UnsafeBufferPointer<UInt8>) {
            unsafe self.name = name
        }

        /// - Returns: Whether to go on.
        mutating func visit(_ field: HeaderField) -> Bool {
            guard unsafe field.isNamed(name) else { return true }
            guard case .absent = result else {
                result = .several
                return false
            }
            result = field.text.map { .one($0) } ?? .malformed
            return true
        }
    }

    struct List {
        private(set) var headers: [(name: String, value: String)] = []

        mutating func visit(_ field: HeaderField) {
            guard let value = field.text else { return }
            headers.append((field.nameText, value))
        }
    }
}

/// One header line, in the memory of its connection.
@safe
struct HeaderField {
    let name: UnsafeBufferPointer<UInt8>
    let value: UnsafeBufferPointer<UInt8>

    init(name: UnsafePointer<CChar>?, _ nameSize: Int, value: UnsafePointer<CChar>?, _ valueSize: Int) {
        unsafe self.name = Self.bytes(name, nameSize)
        unsafe self.value = Self.bytes(value, valueSize)
    }

    private static func bytes(_ start: UnsafePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
        guard let start = unsafe start else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
        return unsafe UnsafeRawBufferPointer(start: start, count: count).assumingMemoryBound(to: UInt8.self)
    }

    /// - Parameter other: ASCII letters, digits and hyphens.
    func isNamed(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe name.count == other.count && name.elementsEqual(other) { Self.lower($0) == Self.lower($1) }
    }

    func isNamed(_ other: StaticString) -> Bool {
        unsafe isNamed(UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
    }

    /// The value as text, or `nil` if it isn't UTF-8 or has control characters other than tab.
    var text: String? {
        let value = unsafe trimmed
        guard !UnsafeRawBufferPointer(value).hasControls else { return nil }
        return unsafe String(validating: value, as: UTF8.self)
    }

    /// The value without the white space that libmicrohttpd leaves at its end.
    private var trimmed: UnsafeBufferPointer<UInt8> {
        var count = unsafe value.count
        while count > 0, unsafe value[count - 1] == 0x20 || value[count - 1] == 0x09 { count -= 1 }
        return unsafe UnsafeBufferPointer(rebasing: value.prefix(count))
    }

    var nameText: String { unsafe String(decoding: name, as: UTF8.self) }

    /// Whether the name is a token (RFC 9110 §5.6.2).
    ///
    /// libmicrohttpd takes anything before a colon, white space too.
    var hasTokenName: Bool {
        unsafe !name.isEmpty && name.allSatisfy(HTTPMethod.isTokenByte)
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
}

extension UnsafeRawBufferPointer {
    /// Whether there is a control character other than tab.
    ///
    /// Looks to the end in any case, which takes many bytes at a time.
    var hasControls: Bool {
        var found: UInt8 = 0
        for index in indices {
            let byte = unsafe self[index]
            found |= byte < 0x20 && byte != 0x09 || byte == 0x7F ? 1 : 0
        }
        return found != 0
    }
}
