import Foundation
import GatehouseCore
import GatehouseKit
import GatehouseTesting
import OpenIDConnectProvider
import PasskeyProvider
import PasswordProvider
import RecoveryCodesProvider
import Storage
import TrustedDeviceProvider
import WebAuthn
import WebClient
import Wire

@testable import HTTPFront

/// The public responder over a real database and the real providers, without a socket.
final class FrontDesk: Sendable {
    static let origin = WebOrigin(scheme: .https, host: "login.example.com", port: nil)
    static let password = "correct horse battery staple"
    /// Shared: the threads of a lane never end.
    private static let lanes = WorkerLanes(cores: 1, hashes: 1)

    private let folder = TemporaryFolder()
    private let storage: SQLiteStorage
    let responder: PublicResponder
    let portal: Portal

    init(name: String = "Example", free failures: Int64 = 1_000) throws {
        storage = try SQLiteStorage(path: folder.database, role: .command, clock: SystemClock())
        let services = try Self.services(storage, throttle: ThrottlePolicy(freeFailures: failures))
        let settings = FrontSettings(
            portals: PortalAddresses(main: PortalAddress(Self.origin, isMain: true)),
            trustedProxies: TrustedProxies(networks: [], unixSocket: false),
            isCovered: { $0 == "app.example.com" },
            name: name,
            attemptsPerMinute: 1_000
        )
        let documents = WellKnownDocuments(apps: .init(), passkeyOrigins: [Self.origin])
        responder = PublicResponder(
            settings: settings,
            services: services,
            access: AccessCheck(rules: AccessRules([]), policy: SessionPolicy()),
            documents: documents,
            metrics: Metrics(),
            addresses: AddressThrottle(perMinute: 1_000)
        )
        portal = Portal(settings: settings, registry: services.registry)
    }

    deinit { storage.stop() }

    private static func services(_ storage: SQLiteStorage, throttle: ThrottlePolicy) throws -> Services {
        let clock = SystemClock()
        let policy = SessionPolicy()
        let log = Log { _ in }
        let registry = try registry(storage)
        let ceremonies = CeremonyService()
        let sessions = SessionService(storage: storage, policy: policy, clock: clock)
        let enrollment = EnrollmentService(
            storage: storage,
            registry: registry,
            policy: policy,
            ceremonies: ceremonies,
            sessions: sessions,
            isSignupOpen: false,
            clock: clock
        )
        let offers = OfferService(
            storage: storage,
            enrollment: enrollment,
            clock: clock,
            log: log
        )
        return Services(
            storage: storage,
            signIn: SignInService(
                storage: storage,
                registry: registry,
                policy: policy,
                ceremonies: ceremonies,
                sessions: sessions,
                offers: offers,
                throttle: throttle,
                clock: clock
            ),
            enrollment: enrollment,
            credentials: CredentialService(
                storage: storage,
                registry: registry,
                enrollment: enrollment,
                sessions: sessions,
                throttle: throttle,
                clock: clock
            ),
            sessions: sessions,
            machines: MachineService(
                tokens: AccessTokenService(
                    storage: storage,
                    enrollment: enrollment,
                    sessions: sessions,
                    access: AccessCheck(rules: AccessRules([]), policy: policy),
                    clock: clock
                ),
                basic: nil,
                bearers: BearerTokens(storage: storage, registry: registry, lanes: lanes)
            ),
            offers: offers,
            links: LinkService(storage: storage, policy: policy, sessions: sessions, clock: clock),
            notices: NoticeService(storage: storage, registry: registry, sessions: sessions, clock: clock),
            registry: registry,
            lanes: lanes,
            clock: clock,
            log: log
        )
    }

    private static func registry(_ storage: SQLiteStorage) throws -> ProviderRegistry {
        func vault(_ kind: CredentialKind) -> StorageVault { StorageVault(storage: storage, kind: kind) }
        let key = [UInt8](repeating: 7, count: 32)
        return try ProviderRegistry([
            PasskeyProvider(
                relyingParty: RelyingParty(id: origin.host, origins: [origin.description]),
                name: "Example",
                vault: vault(.passkey),
                decoyKey: key
            ),
            passwords(storage),
            TrustedDeviceProvider(
                audience: origin,
                vault: vault(.trustedDevice),
                decoyKey: key,
                policy: TrustedDevicePolicy(),
                clock: SystemClock()
            ),
            apple(vault(.apple)),
            RecoveryCodesProvider(vault: vault(.recoveryCode), count: 10),
        ])
    }

    /// Whose keys can't be fetched.
    private static func apple(_ vault: StorageVault) -> OpenIDConnectProvider {
        let rules = IDTokenRules(
            issuers: [TokenIssuer.apple],
            clientIDs: ["com.example.app", "com.example.web"],
            algorithms: [.rs256]
        )
        let source = KeySetSource(kind: .apple, url: "https://apple.test/keys")
        return OpenIDConnectProvider(
            TokenIssuer(kind: .apple, rules: rules, isTrustedWithEmail: true),
            keys: KeySetKeeper(source, clock: SystemClock(), log: Log { _ in }) { (_) throws(WebClientFault) in
                throw WebClientFault.failed(code: 7)
            },
            vault: vault,
            page: AppleWeb(
                clientID: "com.example.web",
                page: "https://apple.test/authorize"
            ),
            clock: SystemClock()
        )
    }

    private static func passwords(_ storage: SQLiteStorage) -> PasswordProvider {
        PasswordProvider(
            vault: StorageVault(storage: storage, kind: .password),
            hasher: PasswordHasher(cost: HashCost(memoryKiB: 64, passes: 1, lanes: 1))
        )
    }

    func add(_ name: String) throws {
        let provider = Self.passwords(storage)
        let accounts = AccountService(storage: storage, clock: SystemClock())
        _ = try accounts.create(AccountProfile(username: name), kind: .password) { (account) throws(SignInError) in
            try provider.credential(settingTo: Secret(Self.password), of: account)
        }
    }

    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        switch responder.respond(to: request) {
        case .now(let response): response
        case .later(let work):
            await withCheckedContinuation { continuation in work { continuation.resume(returning: $0) } }
        }
    }

    func get(_ target: String, _ headers: (name: String, value: String)...) async -> HTTPResponse {
        await answer(HTTPRequest(.get, target, headers: headers))
    }

    /// Sends the form of the sign-in page.
    func send(_ form: String, from origin: String? = FrontDesk.origin.description) async -> HTTPResponse {
        var headers = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]
        if let origin { headers.append((name: "Origin", value: origin)) }
        return await answer(HTTPRequest(.post, "/sign-in", headers: headers, body: Array(form.utf8)))
    }
}

extension HTTPResponse {
    var text: String {
        switch body {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .shared(let shared): String(decoding: shared.bytes, as: UTF8.self)
        }
    }

    func header(_ name: String) -> String? { headers.first { $0.0 == name }?.1 }
}
