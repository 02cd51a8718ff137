import FoundationEssentials
import GatehouseKit
import Wire

/// An error as clients get it (RFC 9457), `application/problem+json`.
struct Problem: Encodable {
    let type: String
    let title: String
    let status: Int
    let detail: String
    let code: String
    let outcome: String
    let requestId: String
    var retryAfter: Int64?
    var signals: UnknownCredential?
    var deviceId: String?
    var kinds: [String]?
    var assurance: String?
    var maxAge: Int64?

    struct UnknownCredential: Encodable {
        let unknownCredentialId: String
    }

    init(_ code: ProblemCode, requestID: String, remedy: Refusal.Remedy? = nil) {
        type = "urn:gatehouse:problem:\(code.rawValue)"
        title = code.rawValue.split(separator: "_").joined(separator: " ")
        status = code.status
        detail = code.detail
        self.code = code.rawValue
        outcome = code.outcome.rawValue
        requestId = requestID
        switch remedy {
        case nil: break
        case .unknownCredential(let id): signals = UnknownCredential(unknownCredentialId: id.text)
        case .unknownDevice(let id): deviceId = id
        case .retryAfter(let seconds): retryAfter = seconds
        case .freshSession(let kinds, let assurance, let age):
            self.kinds = kinds.isEmpty ? nil : kinds.map(\.description)
            self.assurance = assurance.rawValue
            maxAge = age
        }
    }

    var response: HTTPResponse {
        var headers = [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")]
        if let retryAfter { headers.append(("Retry-After", String(retryAfter))) }
        return HTTPResponse(status, headers: headers, body: .bytes(JSONReply.encode(self)))
    }
}

extension Problem {
    static func code(of error: SignInError) -> ProblemCode {
        switch error {
        case .refused(let refusal): refusal.code
        case .unavailable(let fault):
            switch fault.kind {
            case .storage: .storageUnavailable
            case .overload: .overloaded
            case .dependency: .dependencyUnavailable
            case .internal: .internalError
            }
        }
    }

    init(_ error: SignInError, requestID: String) {
        switch error {
        case .refused(let refusal):
            self.init(refusal.code, requestID: requestID, remedy: refusal.remedy)
        case .unavailable(let fault):
            self.init(
                Self.code(of: error),
                requestID: requestID,
                remedy: fault.kind == .internal ? nil : .retryAfter(1)
            )
        }
    }
}

/// JSON answers.
enum JSONReply {
    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Our own types of strings and integers: encoding them can't fail.
        return [UInt8]((try? encoder.encode(value)) ?? Data("{}".utf8))
    }

    static func ok(_ value: some Encodable, headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            200,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")] + headers,
            body: .bytes(encode(value))
        )
    }

    static func noContent(headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(204, headers: [("Cache-Control", "no-store")] + headers)
    }
}

/// A value whose type only its provider knows.
struct Erased: Encodable {
    let value: any Encodable & Sendable

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
