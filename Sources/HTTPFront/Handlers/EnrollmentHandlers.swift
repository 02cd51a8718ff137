import FoundationEssentials
import GatehouseCore
import GatehouseKit

/// `/{collection}/register/…`, the same for every enrolling provider.
struct EnrollmentHandlers: Sendable {
    let settings: FrontSettings
    let registry: ProviderRegistry

    var routes: [Route] {
        registry.collections.flatMap { collection in
            validation(of: collection) + [
                .job(.post, "/\(collection.path)/register/options", isThrottled: true) { (call) throws(SignInError) in
                    try begin(call, collection)
                },
                Route(
                    method: .post,
                    path: "/\(collection.path)/register/verify",
                    action: .job(
                        Route.Job(isThrottled: true, lane: lane(of: collection)) { (call) throws(SignInError) in
                            try finish(call, collection)
                        }
                    )
                ),
            ]
        }
    }

    private func lane(of collection: CredentialCollection) -> @Sendable (APICall) -> WorkLane {
        let lane = registry[collection: collection.path]?.lane ?? .compute
        return { _ in lane }
    }

    private func validation(of collection: CredentialCollection) -> [Route] {
        guard registry.isValidating(collection) else { return [] }
        return [
            .job(.post, "/\(collection.path)/validate", isThrottled: true) { (call) throws(SignInError) in
                JSONReply.ok(["valid": try isKnown(call, collection)])
            }
        ]
    }

    private func isKnown(_ call: APICall, _ collection: CredentialCollection) throws(SignInError) -> Bool {
        if collection.isNative { try call.checkIsApp() }
        let provider: any EnrollingProvider
        do throws(Refusal) { provider = try registry.provider(of: collection.path) } catch { throw .refused(error) }
        guard let validating = provider as? any ValidatingProvider else {
            throw .refused(Refusal(.notFound, "no such collection"))
        }
        return try Self.isKnown(to: validating, call)
    }

    private static func isKnown<P: ValidatingProvider>(to provider: P, _ call: APICall) throws(SignInError) -> Bool {
        let claim = try call.decode(P.Claim.self)
        do throws(ProviderFault) {
            return try provider.isKnown(claim)
        } catch { throw .unavailable(error) }
    }

    private func begin(_ call: APICall, _ collection: CredentialCollection) throws(SignInError) -> HTTPResponse {
        if collection.isNative { try call.checkIsApp() }
        let body = try call.decode(OptionsBody.self)
        let request = EnrollmentRequest(
            collection: collection.path,
            username: body.username,
            displayName: body.displayName,
            client: try call.client(named: body.client),
            mediation: try mediation(body),
            offer: body.offerId.flatMap { OfferID(untrusted: $0) },
            json: call.json
        )
        let begun = try call.services.enrollment.begin(request, in: try call.sessionUnlessAnonymous())
        return JSONReply.ok(RegistrationOptionsAnswer(begun))
    }

    private func mediation(_ body: OptionsBody) throws(SignInError) -> Mediation {
        switch body.mediation {
        case nil, "modal": return .modal
        case "conditional": return .conditional
        default: throw .refused(Refusal(.malformedRequest, "no such mediation"))
        }
    }

    private func finish(_ call: APICall, _ collection: CredentialCollection) throws(SignInError) -> HTTPResponse {
        if collection.isNative { try call.checkIsApp() }
        guard let id = CeremonyID(untrusted: try call.decode(CeremonyHead.self).ceremonyId) else {
            throw .refused(Refusal(.ceremonyUnknown, "not a ceremony of ours"))
        }
        let installation = try call.installation()
        let result = try call.services.enrollment.finish(
            id,
            collection: collection.path,
            json: call.json,
            from: call.origin,
            in: try call.session()
        )
        let occasion = OfferOccasion(result, installation: installation)
        return JSONReply.ok(
            EnrollmentAnswer(result, offer: occasion.flatMap(call.services.offers.offer)),
            headers: result.issued.map { settings.cookie.headers(for: $0) } ?? []
        )
    }
}

private struct OptionsBody: Decodable {
    let username: String?
    let displayName: String?
    let client: String?
    let mediation: String?
    let offerId: String?
}

private struct EnrollmentAnswer: Encodable {
    let result: EnrollmentResult
    let offer: MadeOffer?

    init(_ result: EnrollmentResult, offer: MadeOffer?) {
        self.result = result
        self.offer = offer
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: AnswerKey.self)
        try values.encode(Erased(value: result.summary), forKey: AnswerKey(result.collection.memberName))
        if let signals = result.signals { try values.encode(Erased(value: signals), forKey: AnswerKey("signals")) }
        if result.hasReplaced { try values.encode(true, forKey: AnswerKey("replaced")) }
        if let offer { try values.encode(OfferAnswer(offer), forKey: AnswerKey("offer")) }
        guard let issued = result.issued else { return }
        try values.encode(SessionAnswer(issued), forKey: AnswerKey("session"))
        try values.encode(AccountAnswer(result.account), forKey: AnswerKey("account"))
    }
}

/// A member whose name is the provider's.
struct AnswerKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
