import FoundationEssentials
import GatehouseCore
import GatehouseKit

/// `/recovery` and `/setup`: one-time links are turned into a session that may enrol a credential.
struct LinkHandlers: Sendable {
    let settings: FrontSettings

    var routes: [Route] {
        [
            .job(.post, "/recovery", isThrottled: true) { (call) throws(SignInError) in
                let token = try Self.token(try call.decode(RecoveryBody.self).token)
                return answer(try call.services.links.redeemRecovery(token, from: call.origin))
            },
            .job(.post, "/setup", isThrottled: true, setUp),
        ]
    }

    private func setUp(_ call: APICall) throws(SignInError) -> HTTPResponse {
        let body = try call.decode(SetupBody.self)
        let profile: AccountProfile
        do throws(Refusal) {
            profile = try AccountProfile(
                username: body.username,
                displayName: body.displayName,
                groups: ["admin"]
            )
        } catch { throw .refused(error) }
        let token = try Self.token(body.token)
        return answer(try call.services.links.redeemSetup(token, profile: profile, from: call.origin))
    }

    private static func token(_ text: String) throws(SignInError) -> SessionToken {
        guard let token = SessionToken(untrusted: text) else {
            throw .refused(Refusal(.ceremonyUnknown, "not a link of ours"))
        }
        return token
    }

    private func answer(_ opened: (account: Account, issued: IssuedSession)) -> HTTPResponse {
        JSONReply.ok(
            LinkAnswer(account: AccountAnswer(opened.account), session: SessionAnswer(opened.issued)),
            headers: settings.cookie.headers(for: opened.issued)
        )
    }
}

private struct RecoveryBody: Decodable { let token: String }

private struct SetupBody: Decodable {
    let token: String
    let username: String
    let displayName: String?
}

private struct LinkAnswer: Encodable {
    let status = "needs_enrollment"
    let account: AccountAnswer
    let session: SessionAnswer
}
