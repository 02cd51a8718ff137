import CCurl

/// Asks other hosts, over HTTPS only, through libcurl.
///
/// Blocks, so it is for ``GatehouseKit/WorkLane/network`` or a thread of its own. Proxies are those of the environment
/// (`https_proxy`, `no_proxy`).
public struct WebClient: Sendable {
    /// A PEM file of the certification authorities that servers have to lead to; `nil` for those of the system.
    private let authorities: String?

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    public init(authorities: String? = nil) {
        self.authorities = authorities
    }

    /// The body of a 200 answer; up to three redirections are followed.
    ///
    /// - Parameters:
    ///   - url: An https URL.
    ///   - limit: How many bytes the body may have.
    ///   - timeout: Seconds for all of it.
    ///   - field: A header field that is sent along, such as `Add-Padding: true`; not from outside.
    public func get(
        _ url: String,
        limit: Int,
        timeout: Int,
        field: String? = nil
    ) throws(WebClientFault) -> [UInt8] {
        let answer = try perform(url, form: nil, field: field, limit: limit, timeout: timeout)
        guard answer.status == 200 else { throw .status(answer.status) }
        return answer.body
    }

    /// Sends a form, and takes an answer of any status; no redirection is followed.
    ///
    /// - Parameter form: In urlencoded form. It may hold secrets: libcurl keeps no copy beyond the call.
    public func post(_ form: String, to url: String, limit: Int, timeout: Int) throws(WebClientFault) -> WebAnswer {
        try perform(url, form: form, field: nil, limit: limit, timeout: timeout)
    }

    private func perform(
        _ url: String,
        form: String?,
        field: String?,
        limit: Int,
        timeout: Int
    ) throws(WebClientFault) -> WebAnswer {
        guard Self.isReady else { throw WebClientFault.failed(code: Int(CURLE_FAILED_INIT.rawValue)) }
        let body = Body(limit: limit)
        var status = 0
        let code = unsafe url.withCString { url in
            unsafe withOptionalCString(authorities) { authorities in
                unsafe withOptionalCString(form) { form in
                    unsafe withOptionalCString(field) { field in
                        var request = unsafe curl_request(
                            url: url,
                            form: form,
                            field: field,
                            authorities: authorities,
                            timeout: timeout,
                            limit: curl_off_t(limit),
                            receive: receive,
                            context: Unmanaged.passUnretained(body).toOpaque()
                        )
                        return unsafe curl_perform(&request, &status)
                    }
                }
            }
        }
        guard !body.isTooLarge, code != CURLE_FILESIZE_EXCEEDED else { throw .tooLarge }
        guard code == CURLE_OK else { throw .failed(code: Int(code.rawValue)) }
        return WebAnswer(status: status, body: body.bytes)
    }
}

/// What a host answered.
public struct WebAnswer: Sendable {
    public let status: Int
    public let body: [UInt8]

    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// Why there is no document.
public enum WebClientFault: Error, Equatable, Sendable {
    /// No answer; the code is libcurl's (`curl.h`, CURLcode).
    case failed(code: Int)
    /// An answer of another status than 200.
    case status(Int)
    case tooLarge

    /// For the log.
    public var code: Int {
        switch self {
        case .failed(let code), .status(let code): code
        case .tooLarge: 0
        }
    }
}

/// What has arrived.
private final class Body {
    private let limit: Int
    private(set) var bytes: [UInt8] = []
    private(set) var isTooLarge = false

    init(limit: Int) { self.limit = limit }

    func append(_ part: UnsafeRawBufferPointer) -> Int {
        guard part.count <= limit - bytes.count else {
            isTooLarge = true
            return 0
        }
        unsafe bytes.append(contentsOf: part)
        return part.count
    }
}

/// What C calls, for as long as ``WebClient`` holds the body.
private func receive(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return 0 }
    let body = unsafe Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
    // The size of an element is 1 (CURLOPT_WRITEFUNCTION).
    return unsafe body.append(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private func withOptionalCString<Result>(
    _ text: String?,
    _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
    guard let text else { return body(nil) }
    return unsafe text.withCString(body)
}
