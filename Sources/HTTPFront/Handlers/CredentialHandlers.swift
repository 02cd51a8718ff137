import FoundationEssentials
import GatehouseCore
import GatehouseKit

/// `/{collection}`, `/password` and `/offers`: what people do with what they have.
struct CredentialHandlers: Sendable {
    let registry: ProviderRegistry

    var routes: [Route] {
        registry.collections.flatMap(routes) + [
            Route(
                method: .put,
                path: "/password",
                action: .job(Route.Job(isThrottled: true, lane: lane, run: setPassword))
            ),
            .job(.delete, "/password") { (call) throws(SignInError) in
                try call.services.credentials.removeSecret(in: try call.fullSession())
                return JSONReply.noContent()
            },
            .job(.post, "/offers/{id}", answerOffer),
        ]
    }

    private func routes(of collection: CredentialCollection) -> [Route] {
        [
            .job(.get, "/\(collection.path)") { (call) throws(SignInError) in
                let list = try call.services.credentials.list(collection.path, in: try call.fullSession())
                return JSONReply.ok([collection.listName: list.map(Erased.init)])
            },
            .job(.patch, "/\(collection.path)/{id}") { (call) throws(SignInError) in
                let name = try call.decode(NameBody.self).name
                let id: CredentialID = try call.id()
                try call.services.credentials.rename(id, collection.path, to: name, in: try call.fullSession())
                return JSONReply.noContent()
            },
            .job(.delete, "/\(collection.path)/{id}") { (call) throws(SignInError) in
                let signals = try call.services.credentials.remove(
                    try call.id(),
                    collection.path,
                    in: try call.fullSession()
                )
                return JSONReply.ok(SignalsAnswer(signals: signals.map(Erased.init)))
            },
        ]
    }

    private var lane: @Sendable (APICall) -> WorkLane {
        let lane = registry.secretSetting?.settingLane ?? .compute
        return { _ in lane }
    }

    private func setPassword(_ call: APICall) throws(SignInError) -> HTTPResponse {
        let session = try call.anySession()
        let body = try call.decode(PasswordBody.self)
        try call.services.credentials.setSecret(
            to: body.newPassword,
            checking: body.currentPassword,
            keepingDevices: body.keepTrustedDevices ?? false,
            keepingTokens: body.keepAccessTokens ?? false,
            in: session,
            from: call.origin
        )
        return JSONReply.noContent()
    }

    private func answerOffer(_ call: APICall) throws(SignInError) -> HTTPResponse {
        let session = try call.fullSession()
        guard let answer = StoredOffer.Answer(rawValue: try call.decode(AnswerBody.self).answer) else {
            throw .refused(Refusal(.malformedRequest, "no such answer"))
        }
        try call.services.offers.answer(try call.id(), with: answer, by: session.account.id)
        return JSONReply.noContent()
    }
}

private struct NameBody: Decodable { let name: String }
private struct AnswerBody: Decodable { let answer: String }

private struct PasswordBody: Decodable {
    let currentPassword: Secret?
    let newPassword: Secret
    let keepTrustedDevices: Bool?
    let keepAccessTokens: Bool?
}

private struct SignalsAnswer: Encodable { let signals: Erased? }
