public import GatehouseKit
import Synchronization

/// A machine that showed a credential with its request, and the account in whose name it asks.
///
/// Good for the access check and nothing else: it is no session, and nothing makes one of it.
public final class MachineCaller: Sendable {
    /// The name under which rules take it: `token`, `basic`, or that of an issuer.
    public let kind: CredentialKind
    public let account: Account
    public let groupList: String
    /// `nil` where the credential reaches what its account reaches.
    let scope: AccessScope?
    let expiresAt: Timestamp
    /// That of a token.
    let token: CredentialID?
    let identities = Mutex<[SignedIdentity]>([])
    private let written: Atomic<Int64>

    /// - Parameter lastUsedAt: As it is stored.
    init(
        kind: CredentialKind,
        account: Account,
        scope: AccessScope? = nil,
        expiresAt: Timestamp,
        token: CredentialID? = nil,
        lastUsedAt: Timestamp? = nil
    ) {
        self.kind = kind
        self.account = account
        groupList = account.groups.joined(separator: ",")
        self.scope = scope
        self.expiresAt = expiresAt
        self.token = token
        written = Atomic(lastUsedAt?.milliseconds ?? 0)
    }

    /// One factor, whatever it took to make the credential.
    public var assurance: Assurance { .aal1 }

    /// What was proved with the request; nothing where somebody proved it before, or elsewhere.
    var proofs: [Proof] { kind == .basic ? [Proof(factors: .knowledge)] : [] }

    /// - Returns: whether the stored time is now older than `interval` and this caller is the one to write it.
    func markUsed(at now: Timestamp, writeEvery interval: Timestamp.Span) -> Bool {
        let last = written.load(ordering: .relaxed)
        guard now - Timestamp(milliseconds: last) >= interval else { return false }
        return written.compareExchange(expected: last, desired: now.milliseconds, ordering: .relaxed).exchanged
    }
}

extension CredentialKind {
    /// A personal access token.
    public static let accessToken = CredentialKind("token")
    /// A name and a password in a request's header (RFC 7617).
    public static let basic = CredentialKind("basic")

    /// What rules may take from machines, besides the tokens of issuers.
    public static let machineKinds = [accessToken, basic]
}
