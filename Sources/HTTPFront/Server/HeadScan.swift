import Glibc

/// The head of a request, read once to find what libmicrohttpd lets pass.
///
/// libmicrohttpd cuts lines in place: it puts a NUL where a name, a value or a line ended, and measures them with
/// `strlen`. A NUL that a client sent therefore hides the rest of its line from us, but not from a proxy before us; a
/// line that starts with one even ends the head. So the scan holds the parts against each other: each must begin where
/// the one before ended. That also refuses bare line feeds, continuation lines (RFC 9112 §5.2) and repeated spaces.
@safe
struct HeadScan {
    /// Where the next line must begin.
    private var next: UnsafeRawPointer
    private var isOrderly: Bool
    private let isHTTP10: Bool

    private(set) var headerCount = 0
    private var hosts = 0
    private var contentLengths = 0
    private var transferEncodings = 0
    private var isChunked = false
    /// What `Content-Length` says, or the largest number where it can't be held.
    private var contentLength = 0

    /// - Parameters: The parts of the request line, as libmicrohttpd cut them.
    init(method: UnsafePointer<CChar>, target: UnsafePointer<CChar>, targetSize: Int, version: UnsafePointer<CChar>) {
        let ends = unsafe (method + strlen(method) + 1 == target, target + targetSize + 1 == version)
        isOrderly = ends.0 && ends.1
        isHTTP10 = unsafe strcmp(version, "HTTP/1.0") == 0
        unsafe next = UnsafeRawPointer(version + strlen(version) + Self.lineEnd)
    }

    private static let lineEnd = 2

    /// - Returns: Whether to go on.
    mutating func visit(_ field: HeaderField) -> Bool {
        headerCount += 1
        guard let name = unsafe field.name.baseAddress, let value = unsafe field.value.baseAddress else {
            isOrderly = false
            return false
        }
        isOrderly = unsafe isOrderly && UnsafeRawPointer(name) == next && field.hasTokenName
        unsafe next = UnsafeRawPointer(value + field.value.count + Self.lineEnd)
        count(field)
        return isOrderly
    }

    private mutating func count(_ field: HeaderField) {
        switch unsafe field.name.count {
        case 4 where field.isNamed("host"): hosts += 1
        case 14 where field.isNamed("content-length"):
            contentLengths += 1
            contentLength = Self.number(field)
        case 17 where field.isNamed("transfer-encoding"):
            transferEncodings += 1
            isChunked = field.text?.lowercased() == "chunked"
        default: break
        }
    }

    private static func number(_ field: HeaderField) -> Int {
        field.text.flatMap(Int.init) ?? .max
    }

    /// What is wrong with the head.
    ///
    /// - Parameter end: Just after its empty line.
    func problem(end: UnsafeRawPointer) -> ServerRefusal? {
        let isWhole = unsafe isOrderly && next + Self.lineEnd == end
        let isFramedOnce = contentLengths + transferEncodings <= 1
        let isFramingKnown = transferEncodings == 0 || (isChunked && !isHTTP10)
        let hasHost = hosts == 1 || (hosts == 0 && isHTTP10)
        return isWhole && isFramedOnce && isFramingKnown && hasHost ? nil : .badRequest
    }

    enum Announcement: Equatable {
        case nothing
        case length(Int)
        case unknownLength
    }

    var announcement: Announcement {
        if transferEncodings > 0 { return .unknownLength }
        return contentLength > 0 ? .length(contentLength) : .nothing
    }
}
