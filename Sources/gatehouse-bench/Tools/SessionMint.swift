import Foundation
import GatehouseCore
import GatehouseKit
import Storage

/// Makes sessions by the core's own sign-in, with a credential that costs nothing to check.
struct SessionMint {
    private let storage: SQLiteStorage
    private let signIn: SignInService

    init(_ database: URL) throws {
        let clock = SystemClock()
        storage = try SQLiteStorage(path: database.path, role: .command, clock: clock)
        let accounts = AccountService(storage: storage, clock: clock)
        let account = try accounts.create(AccountProfile(username: "lee"), kind: .password) { account in
            NewCredential(key: Array(account.id.text.utf8), payload: [], name: nil, proof: Proof(factors: .knowledge))
        }
        let stored = try storage.read { (reader) throws(ProviderFault) in try reader.credentials(of: account.id) }
        guard let credential = stored.first else { throw ScenarioFault(reason: "no credential") }
        let registry = try ProviderRegistry([FreeProvider(account: account.id, credential: credential.id)])
        let policy = SessionPolicy()
        let sessions = SessionService(storage: storage, policy: policy, clock: clock, cache: SessionCache(capacity: 32))
        let enrollment = EnrollmentService(
            storage: storage,
            registry: registry,
            policy: policy,
            ceremonies: CeremonyService(),
            sessions: sessions,
            isSignupOpen: false,
            clock: clock
        )
        signIn = SignInService(
            storage: storage,
            registry: registry,
            policy: policy,
            ceremonies: CeremonyService(),
            sessions: sessions,
            offers: OfferService(
                storage: storage,
                enrollment: enrollment,
                policy: MigrationPolicy(offer: .off),
                clock: clock,
                log: Log { _ in }
            ),
            throttle: ThrottlePolicy(),
            clock: clock
        )
    }

    func mint(_ count: Int) throws -> [String] {
        defer { storage.stop() }
        let box = Tokens()
        let origin = RequestOrigin(
            userAgent: "bench",
            address: "127.0.0.1",
            client: .browser,
            isBrowser: false,
            throttleKey: "bench",
            requestID: "bench"
        )
        let threads = 32
        let group = DispatchGroup()
        for _ in 0..<threads {
            group.enter()
            Thread.detachNewThread {
                for _ in 0..<(count / threads) {
                    guard let begun = try? signIn.begin(SignInRequest(), in: nil) else { break }
                    let presented = PresentedCredential(
                        ceremony: begun.ceremony.id,
                        kind: .password,
                        json: Data("{}".utf8),
                        placement: .root
                    )
                    guard case .signedIn(let result)? = try? signIn.complete(presented, from: origin, in: nil) else {
                        break
                    }
                    box.append(result.issued.token.text)
                }
                group.leave()
            }
        }
        group.wait()
        return box.all
    }

    private final class Tokens: @unchecked Sendable {
        private let lock = NSLock()
        private var tokens: [String] = []
        func append(_ token: String) { lock.withLock { tokens.append(token) } }
        var all: [String] { lock.withLock { tokens } }
    }
}

/// Accepts whatever is presented.
private struct FreeProvider: CredentialProvider {
    let kind = CredentialKind("password")
    let account: AccountID
    let credential: CredentialID

    struct Credential: Decodable, Sendable {}

    func verify(_: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence {
        Evidence(account: account, credential: credential, proof: Proof(factors: .knowledge))
    }
}
