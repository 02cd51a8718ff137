import FoundationEssentials
import GatehouseCore
import GatehouseKit
import Wire

/// `/sign-in/…` and its passkey-only form.
struct SignInHandlers: Sendable {
    let settings: FrontSettings

    var routes: [Route] {
        [
            .job(.post, "/sign-in/options", isThrottled: true, begin),
            .job(.post, "/passkeys/authenticate/options", isThrottled: true, beginPasskey),
            Route(
                method: .post,
                path: "/sign-in/verify",
                action: .job(Route.Job(isThrottled: true, lane: { Self.lane(of: $0) }, run: complete))
            ),
            .job(.post, "/passkeys/authenticate/verify", isThrottled: true, completePasskey),
        ]
    }

    private func begin(_ call: APICall) throws(SignInError) -> HTTPResponse {
        let request = try request(try call.decode(OptionsBody.self), call)
        let session = request.stepUp == nil ? nil : try call.anySession()
        return JSONReply.ok(OptionsAnswer(try call.services.signIn.begin(request, in: session)))
    }

    private func beginPasskey(_ call: APICall) throws(SignInError) -> HTTPResponse {
        let body = try call.decode(OptionsBody.self)
        let request = SignInRequest(
            identifier: body.identifier,
            kinds: [.passkey],
            mediation: try mediation(body),
            client: try call.client(named: body.client),
            isRemembered: body.remember ?? false
        )
        let begun = try call.services.signIn.begin(request, in: nil)
        guard let passkey = begun.requests.first else {
            throw .refused(Refusal(.unknownKind, "passkeys are switched off"))
        }
        return JSONReply.ok(PasskeyOptionsAnswer(ceremonyId: begun.ceremony.id.text, options: passkey.offer))
    }

    private func request(_ body: OptionsBody, _ call: APICall) throws(SignInError) -> SignInRequest {
        if body.deviceId != nil { try call.checkIsApp() }
        return SignInRequest(
            identifier: body.identifier,
            kinds: body.kinds.map { $0.compactMap { CredentialKind(untrusted: $0) } },
            mediation: try mediation(body),
            client: try call.client(named: body.client),
            deviceID: try deviceID(body.deviceId),
            stepUp: try stepUp(body),
            returnTo: try returnTo(body.returnTo),
            isRemembered: body.remember ?? false
        )
    }

    private func mediation(_ body: OptionsBody) throws(SignInError) -> Mediation {
        guard let text = body.mediation else { return .modal }
        guard let mediation = Mediation(rawValue: text), mediation != .conditional else {
            throw .refused(Refusal(.malformedRequest, "no such mediation"))
        }
        return mediation
    }

    /// Kept with the ceremony, so it can't be longer than an ID needs to be.
    private func deviceID(_ text: String?) throws(SignInError) -> String? {
        guard (text ?? "").utf8.count <= 128 else {
            throw .refused(Refusal(.malformedRequest, "a device ID has at most 128 bytes"))
        }
        return text
    }

    private func stepUp(_ body: OptionsBody) throws(SignInError) -> StepUp? {
        guard body.stepUp == true || body.assurance != nil || body.maxAge != nil else { return nil }
        let assurance = body.assurance.map { Assurance(rawValue: $0) }
        guard assurance != .some(nil), (0...31_536_000).contains(body.maxAge ?? 0) else {
            throw .refused(Refusal(.malformedRequest, "no such assurance or age"))
        }
        return StepUp(
            kinds: (body.kinds ?? []).compactMap { CredentialKind(untrusted: $0) },
            assurance: assurance ?? nil,
            maxAge: body.maxAge.map { .seconds($0) }
        )
    }

    private func returnTo(_ text: String?) throws(SignInError) -> String? {
        guard let text else { return nil }
        guard let url = settings.returnURL(text) else {
            throw .refused(Refusal(.returnURLNotAllowed, "the return address is not covered"))
        }
        return url.description
    }

    /// Where a credential is checked; what can't be read goes the short way, to be refused.
    private static func lane(of call: APICall) -> WorkLane {
        guard let body = try? JSONDecoder().decode(VerifyHead.self, from: call.json),
            let kind = CredentialKind(untrusted: body.credential.kind), let id = CeremonyID(untrusted: body.ceremonyId)
        else { return .compute }
        return call.services.signIn.lane(
            for: PresentedCredential(ceremony: id, kind: kind, json: call.json, placement: .nested)
        )
    }

    private func complete(_ call: APICall) throws(SignInError) -> HTTPResponse {
        let head = try call.decode(VerifyHead.self)
        guard let kind = CredentialKind(untrusted: head.credential.kind) else {
            throw .refused(Refusal(.notHandled, "no provider for this kind"))
        }
        let provider = call.services.registry[kind] as? any EnrollingProvider
        if let provider, provider.collection.isNative { try call.checkIsApp() }
        return try complete(call, head.ceremonyId, kind, .nested)
    }

    private func completePasskey(_ call: APICall) throws(SignInError) -> HTTPResponse {
        try complete(call, try call.decode(CeremonyHead.self).ceremonyId, .passkey, .root)
    }

    private func complete(
        _ call: APICall,
        _ ceremony: String,
        _ kind: CredentialKind,
        _ placement: PresentedCredential.Placement
    ) throws(SignInError) -> HTTPResponse {
        guard let id = CeremonyID(untrusted: ceremony) else {
            throw .refused(Refusal(.ceremonyUnknown, "not a ceremony of ours"))
        }
        let presented = PresentedCredential(ceremony: id, kind: kind, json: call.json, placement: placement)
        let outcome = try call.services.signIn.complete(
            presented,
            from: call.origin,
            in: try call.session(),
            installation: try call.installation()
        )
        switch outcome {
        case .needsSecondFactor(let begun): return JSONReply.ok(SecondFactorAnswer(begun))
        case .signedIn(let result):
            return JSONReply.ok(SignInAnswer(result), headers: settings.cookie.headers(for: result.issued))
        }
    }
}

private struct OptionsBody: Decodable {
    let identifier: String?
    let kinds: [String]?
    let mediation: String?
    let client: String?
    let deviceId: String?
    let stepUp: Bool?
    let assurance: String?
    let maxAge: Int64?
    let returnTo: String?
    let remember: Bool?
}

struct CeremonyHead: Decodable { let ceremonyId: String }

private struct VerifyHead: Decodable {
    let ceremonyId: String
    let credential: Kind

    struct Kind: Decodable { let kind: String }
}

private struct OptionsAnswer: Encodable {
    let ceremonyId: String
    let expiresAt: Timestamp
    let mediation: Mediation
    let requests: [OfferedRequest]

    init(_ begun: BegunSignIn) {
        ceremonyId = begun.ceremony.id.text
        expiresAt = begun.ceremony.expiresAt
        mediation = begun.ceremony.mediation
        requests = begun.requests
    }
}

/// The passkey-only form: the provider's `options` stand beside the ceremony.
private struct PasskeyOptionsAnswer: Encodable {
    let ceremonyId: String
    let options: any Encodable & Sendable

    private enum CodingKeys: String, CodingKey { case ceremonyId }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(ceremonyId, forKey: .ceremonyId)
        try options.encode(to: encoder)
    }
}
