#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Carries a request to the gateway and its answer back.
///
/// ``URLSessionTransport`` does, where there is `URLSession`; an app that has its own stack conforms that.
public protocol HTTPTransport: Sendable {
    /// - Throws: if there is no answer; an answer of any status is none of that.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

public enum HTTPMethod: String, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}

public struct HTTPRequest: Sendable {
    public let method: HTTPMethod
    public let url: String
    public let headers: [String: String]
    public let body: Data?
}

public struct HTTPResponse: Sendable {
    public let status: Int
    public let body: Data

    public init(status: Int, body: Data) {
        self.status = status
        self.body = body
    }
}
