import Foundation
import GatehouseClient
import Testing

struct ClientTests {
    private static let attestedApps =
        "[{id: com.example.app, platform: ios, attestation: required, team_id: ABCDE12345, environment: production}]"
    private let passkeys = SoftPasskeys()

    private func passkey(_ ceremony: SignInCeremony) throws -> SignInCredential {
        for case .passkey(let request) in ceremony.requests { return .passkey(try passkeys.assert(request)) }
        throw ClientError.unexpectedAnswer(status: 200)
    }

    private func signedIn(_ name: String, at gateway: LiveGateway) async throws -> GatehouseClient {
        let client = gateway.client()
        let ceremony = try await client.beginSignIn(SignInOptions(identifier: name))
        let credential = SignInCredential.password(identifier: name, password: LiveGateway.password)
        let outcome = try await client.complete(ceremony.ceremonyId, with: credential)
        return gateway.client(token: outcome.session?.token)
    }

    private func problem(_ call: () async throws -> Void) async -> Problem? {
        do { try await call() } catch ClientError.refused(let problem) { return problem } catch {}
        return nil
    }

    @Test func `a sign-up by passkey signs in, and so does the passkey afterwards`() async throws {
        let gateway = try LiveGateway()
        let registration = try await gateway.client().beginPasskeyRegistration(username: "lee", displayName: "Lee")
        #expect(registration.options.rp.id == "localhost")
        let registered = try await gateway.client().complete(registration, with: try passkeys.create(registration))
        #expect(registered.session?.token != nil)
        for mediation in [SignInOptions.Mediation.modal, .autofill, .immediate] {
            let ceremony = try await gateway.client().beginSignIn(SignInOptions(mediation: mediation))
            let outcome = try await gateway.client().complete(ceremony.ceremonyId, with: try passkey(ceremony))
            #expect(outcome.status == .complete && outcome.account?.username == "lee")
            #expect(outcome.session?.methods == ["passkey"] && outcome.session?.assurance == "aal2")
        }
    }

    @Test func `one request takes a passkey or a password, once`() async throws {
        let gateway = try LiveGateway(accounts: ["lee"])
        let ceremony = try await gateway.client().beginSignIn(SignInOptions(identifier: "lee"))
        let wrong = SignInCredential.password(identifier: "lee", password: "wrong horse battery")
        let right = SignInCredential.password(identifier: "lee", password: LiveGateway.password)
        let refused = await problem { _ = try await gateway.client().complete(ceremony.ceremonyId, with: wrong) }
        #expect(refused?.code == "credential_rejected" && refused?.outcome == "failed" && refused?.status == 401)
        let outcome = try await gateway.client().complete(ceremony.ceremonyId, with: right)
        #expect(outcome.offer?.kind == "passkey" && outcome.offer?.registration != nil)
        let again = await problem { _ = try await gateway.client().complete(ceremony.ceremonyId, with: right) }
        #expect(again?.code == "ceremony_consumed")
    }

    @Test func `an offer is taken up with what came along, and answered`() async throws {
        let gateway = try LiveGateway(accounts: ["lee"])
        let ceremony = try await gateway.client().beginSignIn(SignInOptions(identifier: "lee"))
        let password = SignInCredential.password(identifier: "lee", password: LiveGateway.password)
        let outcome = try await gateway.client().complete(ceremony.ceremonyId, with: password)
        let client = gateway.client(token: outcome.session?.token)
        let offer = try #require(outcome.offer)
        let registration = try #require(offer.registration)
        _ = try await client.complete(registration, with: try passkeys.create(registration))
        try await client.answer(offer.id, with: .accepted)
        let made = try #require(try await client.passkeys().first)
        try await client.renamePasskey(made.id, to: "Phone")
        #expect(try await client.passkeys().map(\.name) == ["Phone"])
    }

    @Test func `a device is enrolled, signs in, and is forgotten`() async throws {
        let gateway = try LiveGateway(accounts: ["lee"])
        let (key, other) = (SoftDeviceKey(), SoftDeviceKey())
        let client = try await signedIn("lee", at: gateway)
        let description = DeviceDescription(name: "Lee's phone", platform: "ios", appId: "com.example.app")
        let device = try await client.enroll(description, key: key)
        #expect(try await gateway.client().isKnown(device))
        let outcome = try await gateway.client().signIn(with: device, key: key)
        #expect(outcome.account?.username == "lee" && outcome.session?.methods == ["trusted-device"])
        let forged = await problem { _ = try await gateway.client().signIn(with: device, key: other) }
        #expect(forged?.outcome == "failed")

        let own = gateway.client(token: outcome.session?.token)
        let listed = try #require(try await own.trustedDevices().first)
        #expect(listed.current && listed.name == "Lee's phone")
        try await own.revokeDevice(listed.id)
        #expect(try await !gateway.client().isKnown(device))
        let stale = await problem { _ = try await gateway.client().signIn(with: device, key: key) }
        #expect(stale?.code == "trusted_device_unknown" && stale?.deviceId == device)
        #expect(await problem { _ = try await own.currentSession() }?.code == "session_required")
    }

    @Test func `a device gets another key, and the former one is good for nothing`() async throws {
        let gateway = try LiveGateway(accounts: ["lee"])
        let (former, key) = (SoftDeviceKey(), SoftDeviceKey())
        let client = try await signedIn("lee", at: gateway)
        let description = DeviceDescription(platform: "ios", appId: "com.example.app")
        let device = try await client.enroll(description, key: former)
        try await client.replaceKey(of: device, former, by: key, on: description)
        #expect(try await gateway.client().signIn(with: device, key: key).status == .complete)
        #expect(await problem { _ = try await gateway.client().signIn(with: device, key: former) }?.outcome == "failed")
    }

    @Test func `an attestation goes along, and one that makes no sense is refused`() async throws {
        let gateway = try LiveGateway(accounts: ["lee"], apps: Self.attestedApps)
        let client = try await signedIn("lee", at: gateway)
        let description = DeviceDescription(platform: "ios", appId: "com.example.app")
        let without = await problem { _ = try await client.enroll(description, key: SoftDeviceKey()) }
        let nonsense = await problem {
            _ = try await client.enroll(description, key: SoftDeviceKey()) { .appAttest(Base64URLData($0)) }
        }
        #expect(without?.code == "attestation_untrusted" && nonsense?.code == "attestation_invalid")
    }

    @Test func `recovery codes are confirmed by one of them, and let their owner in to enrol`() async throws {
        let gateway = try LiveGateway(accounts: ["lee"])
        let client = try await signedIn("lee", at: gateway)
        let list = try await client.beginRecoveryCodes()
        #expect(Set(list.options.codes).count == 10)
        let wrong = await problem { _ = try await client.confirmRecoveryCodes(list, with: "7QK2-M0XD-9HTA-R4VW") }
        #expect(wrong?.code == "credential_rejected")
        let code = try #require(list.options.codes.first)
        let stored = try await client.confirmRecoveryCodes(list, with: code.lowercased())
        #expect(stored.remaining == 10 && stored.total == 10)

        let credential = SignInCredential.recoveryCode(identifier: "lee", code: code)
        let ceremony = try await gateway.client().beginSignIn(SignInOptions(kinds: ["recovery-code"]))
        let outcome = try await gateway.client().complete(ceremony.ceremonyId, with: credential)
        #expect(outcome.status == .needsEnrollment && outcome.session?.restricted == true)
        let recovered = gateway.client(token: outcome.session?.token)
        let registration = try await recovered.beginPasskeyRegistration()
        let registered = try await recovered.complete(registration, with: try passkeys.create(registration))
        #expect(registered.session?.restricted == false)
        let stranger = await problem { _ = try await gateway.client().beginRecoveryCodes() }
        #expect(stranger?.code == "session_required")
    }

    @Test func `a step-up adds to the session what it proved`() async throws {
        let gateway = try LiveGateway(accounts: ["lee"])
        let client = try await signedIn("lee", at: gateway)
        let registration = try await client.beginPasskeyRegistration()
        _ = try await client.complete(registration, with: try passkeys.create(registration))
        let ceremony = try await client.beginStepUp(StepUpOptions(kinds: ["passkey"], assurance: "aal2", maxAge: 60))
        let outcome = try await client.complete(ceremony.ceremonyId, with: try passkey(ceremony))
        #expect(outcome.session?.assurance == "aal2")
        #expect(outcome.session?.methods.sorted() == ["passkey", "password"])
        let stranger = await problem { _ = try await gateway.client().beginStepUp(StepUpOptions(assurance: "aal2")) }
        #expect(stranger?.code == "session_required")
    }

    @Test func `sessions are listed and ended`() async throws {
        let gateway = try LiveGateway(accounts: ["lee"])
        let (one, two) = (try await signedIn("lee", at: gateway), try await signedIn("lee", at: gateway))
        #expect(try await one.sessions().count == 2)
        try await one.endOtherSessions()
        #expect(await problem { _ = try await two.currentSession() }?.code == "session_required")
        #expect(try await !one.currentSession().restricted)
        try await one.signOut()
        #expect(await problem { _ = try await one.currentSession() }?.code == "session_required")
    }

    @Test func `no answer and another server's answer are told apart from a refusal`() async throws {
        let nobody = GatehouseClient(server: "http://127.0.0.1:1", transport: URLSessionTransport())
        await #expect {
            try await nobody.signOut()
        } throws: { error in
            if case ClientError.unreachable = error { true } else { false }
        }
        struct Page: HTTPTransport {
            let status: Int
            func send(_ request: HTTPRequest) async throws -> HTTPResponse {
                HTTPResponse(status: status, body: Data("<html>".utf8))
            }
        }
        for status in [200, 404, 502] {
            let other = GatehouseClient(server: "http://example.com", transport: Page(status: status))
            await #expect(throws: ClientError.unexpectedAnswer(status: status)) { _ = try await other.currentSession() }
        }
    }
}
