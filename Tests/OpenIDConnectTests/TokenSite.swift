import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import Synchronization
import WebClient
import Wire

@testable import OpenIDConnectProvider

/// An issuer of ID tokens, its keys, and a gateway's provider that takes them, with the accounts alice and bob.
struct TokenSite {
    static let clientID = "com.example.app"
    static let now: Int64 = 1_800_000_000

    let clock = ManualClock(TokenSite.now * 1_000)
    let publisher = KeyPublisher()
    let vault = MemoryVault()
    let keys: KeySetKeeper
    let provider: OpenIDConnectProvider
    let alice: AccountReference
    let bob: AccountReference

    init(
        kind: CredentialKind = .apple,
        issuers: [String] = [TokenIssuer.apple],
        algorithms: [TokenAlgorithm] = [.rs256],
        trustsEmail: Bool = true
    ) {
        let rules = IDTokenRules(
            issuers: issuers,
            clientIDs: [Self.clientID, "com.example.web"],
            algorithms: algorithms
        )
        let source = KeySetSource(kind: kind, url: "https://issuer.test/keys")
        keys = KeySetKeeper(source, clock: clock, log: Log { _ in }, fetch: publisher.fetch)
        provider = OpenIDConnectProvider(
            TokenIssuer(kind: kind, rules: rules, isTrustedWithEmail: trustsEmail),
            keys: keys,
            vault: vault,
            clock: clock
        )
        alice = vault.addAccount("alice")
        bob = vault.addAccount("bob")
    }

    /// Claims of a good token for a ceremony, with changes.
    static func claims(_ draft: CeremonyDraft, _ change: (inout JSONValue) -> Void = { _ in }) -> JSONValue {
        var claims = JSONValue.object([
            "iss": .string(TokenIssuer.apple), "aud": .string(clientID), "sub": .string("001.alice"),
            "iat": .number(Double(now)), "exp": .number(Double(now + 600)), "nonce": .string(nonce(of: draft)),
        ])
        change(&claims)
        return claims
    }

    static func nonce(of draft: CeremonyDraft) -> String { Base64URL(bytes: draft.challenge.bytes).text }

    /// A token for a ceremony.
    func token(
        _ draft: CeremonyDraft,
        header: [String: JSONValue] = [:],
        _ change: (inout JSONValue) -> Void = { _ in }
    ) throws -> String {
        try publisher.token(Self.claims(draft, change), header: header)
    }

    static func credential(_ token: String) -> JSONValue { .object(["identityToken": .string(token)]) }

    func verify(_ token: String, in draft: CeremonyDraft) throws -> Evidence {
        let credential = try JSONDecoder().decode(
            OpenIDConnectProvider.Credential.self,
            from: Self.credential(token).encoded
        )
        return try provider.verify(credential, ceremony: draft.ceremony)
    }

    /// Links alice's subject, and returns the record.
    @discardableResult
    func link(_ account: AccountReference, _ change: (inout JSONValue) -> Void = { _ in }) throws -> CredentialRecord {
        let draft = CeremonyDraft.of(account)
        return vault.store(try enrol(try token(draft, change), of: account, in: draft), of: account)
    }

    func enrol(
        _ token: String,
        name: String? = nil,
        of account: AccountReference,
        in draft: CeremonyDraft
    ) throws -> NewCredential {
        var body = Self.credential(token)
        if let name { body["user"] = .object(["name": .string(name)]) }
        let registration = try JSONDecoder().decode(OpenIDConnectProvider.Registration.self, from: body.encoded)
        return try provider.finishEnrollment(registration, of: account, ceremony: draft.ceremony)
    }
}

/// What publishes an issuer's keys, and counts how often it is asked.
final class KeyPublisher: Sendable {
    private struct State {
        var answer: Result<[UInt8], WebClientFault>
        var count = 0
    }

    static let keyID = "key-1"
    private let state: Mutex<State>

    init() { state = Mutex(State(answer: .success(Self.set([Self.rsaKey])))) }

    var count: Int { state.withLock { $0.count } }

    func publish(_ keys: [JSONValue]) { state.withLock { $0.answer = .success(Self.set(keys)) } }
    func publish(_ bytes: [UInt8]) { state.withLock { $0.answer = .success(bytes) } }
    func fail() { state.withLock { $0.answer = .failure(.failed(code: 7)) } }

    var fetch: @Sendable (String) throws(WebClientFault) -> [UInt8] {
        { [self] (_: String) throws(WebClientFault) -> [UInt8] in
            let answer = state.withLock { state in
                state.count += 1
                return state.answer
            }
            return try answer.get()
        }
    }

    static func set(_ keys: [JSONValue]) -> [UInt8] {
        [UInt8]((try? JSONValue.object(["keys": .array(keys)]).encoded) ?? Data())
    }

    static let rsaKey = rsa(keyID)

    /// The shared RSA key under an ID, with changes.
    static func rsa(_ id: String, _ change: (inout JSONValue) -> Void = { _ in }) -> JSONValue {
        var key = JSONValue.object([
            "kty": .string("RSA"), "kid": .string(id), "use": .string("sig"), "alg": .string("RS256"),
            "n": .string(Base64URL(bytes: SigningKey.sharedRSA.modulus).text), "e": .string("AQAB"),
        ])
        change(&key)
        return key
    }

    static func elliptic(_ id: String, _ key: SigningKey, _ change: (inout JSONValue) -> Void = { _ in }) -> JSONValue {
        var jwk = key.jwk
        jwk["kid"] = .string(id)
        change(&jwk)
        return jwk
    }

    /// - Parameter header: Changes to `{"alg": "RS256", "kid": "key-1"}`; null removes a member.
    func token(_ claims: JSONValue, header: [String: JSONValue] = [:], key: SigningKey = .sharedRSA) throws -> String {
        var all: [String: JSONValue] = ["alg": .string("RS256"), "kid": .string(Self.keyID)]
        all.merge(header) { _, ours in ours }
        return try sign(JSONValue.object(all.filter { $0.value != .null }).encoded, claims.encoded, key)
    }

    func sign(_ header: Data, _ claims: Data, _ key: SigningKey = .sharedRSA) throws -> String {
        let signed = [header, claims].map { Base64URL(bytes: [UInt8]($0)).text }.joined(separator: ".")
        let message = Array(signed.utf8)
        let signature = key.algorithm == .es256 ? key.signRaw(message) : key.sign(message)
        return "\(signed).\(Base64URL(bytes: signature).text)"
    }
}

/// The code of the refusal that `body` throws; `nil` if it throws none.
func refusal(_ body: () throws -> Void) throws -> ProblemCode? {
    do { try body() } catch SignInError.refused(let refusal) { return refusal.code }
    return nil
}

/// Why a token was refused; `nil` if it was not.
func reason(_ body: () throws -> Void) throws -> Refusal.Reason? {
    do { try body() } catch SignInError.refused(let refusal) { return refusal.reason }
    return nil
}
