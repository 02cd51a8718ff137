import GatehouseCore
import GatehouseKit
import Wire

/// `/access/explain`: which rule decides a request, for administrators.
struct AccessHandlers: Sendable {
    let access: AccessCheck

    var routes: [Route] { [.job(.post, "/access/explain", explain)] }

    private func explain(_ call: APICall) throws(SignInError) -> HTTPResponse {
        _ = try call.administrator()
        let body = try call.decode(ExplainBody.self)
        let request = try Self.request(body)
        let account = try body.account.flatMap { (name) throws(SignInError) in try Self.account(name, call) }
        let sessions = try account.map { (account) throws(SignInError) in
            try call.services.sessions.sessions(of: account.id)
        }
        return JSONReply.ok(
            access.explanation(of: request, for: account, with: sessions ?? [], now: call.services.clock.now)
        )
    }

    private static func request(_ body: ExplainBody) throws(SignInError) -> OriginalRequest {
        let address = body.address.map { IPAddress($0) }
        guard address != .some(nil) else { throw .refused(Refusal(.invalidValue, "not an address")) }
        guard
            let request = OriginalRequest(
                asking: body.url,
                method: body.method ?? "GET",
                isPreflight: body.preflight ?? false,
                address: address ?? nil
            )
        else { throw .refused(Refusal(.invalidValue, "a check of this URL or method is refused before any rule")) }
        return request
    }

    private static func account(_ name: String, _ call: APICall) throws(SignInError) -> Account {
        let found = try call.services.storage.look { (reader) throws(ProviderFault) in
            try reader.account(named: .claimed(name))
        }
        guard let found else { throw .refused(Refusal(.notFound, "no such account")) }
        return found
    }
}

private struct ExplainBody: Decodable {
    let url: String
    let method: String?
    let account: String?
    let address: String?
    let preflight: Bool?
}

extension APICall {
    /// The session of somebody who may see and change what concerns others: in the group `admin`, and at `aal2`.
    func administrator() throws(SignInError) -> CachedSession {
        let session = try fullSession()
        guard session.account.groups.contains("admin") else {
            throw .refused(Refusal(.forbidden, "only members of the group admin may do this"))
        }
        guard session.session.assurance >= .aal2 else {
            throw .refused(
                Refusal(
                    .stepUpRequired,
                    "administrators prove two factors",
                    remedy: .freshSession(kinds: [], assurance: .aal2, maxAge: nil)
                )
            )
        }
        return session
    }
}
