public import GatehouseKit
import Synchronization

/// Who a request to an application is from, as the application is told.
public enum Caller: Sendable {
    case session(CachedSession)
    case machine(MachineCaller)

    public var account: Account {
        switch self {
        case .session(let session): session.account
        case .machine(let machine): machine.account
        }
    }

    /// With commas, like the next.
    public var groupList: String {
        switch self {
        case .session(let session): session.groupList
        case .machine(let machine): machine.groupList
        }
    }

    public var methodList: String {
        switch self {
        case .session(let session): session.methodList
        case .machine(let machine): machine.kind.description
        }
    }

    public var assurance: Assurance {
        switch self {
        case .session(let session): session.session.assurance
        case .machine(let machine): machine.assurance
        }
    }
}

extension Caller {
    var expiresAt: Timestamp {
        switch self {
        case .session(let session): session.session.expiresAt
        case .machine(let machine): machine.expiresAt
        }
    }

    /// When somebody last proved who they are; `nil` where nobody signed in.
    var authenticatedAt: Timestamp? {
        switch self {
        case .session(let session): session.session.authenticatedAt
        case .machine: nil
        }
    }

    var proofs: [Proof] {
        switch self {
        case .session(let session): session.session.evidence.map(\.proof)
        case .machine(let machine): machine.proofs
        }
    }

    /// Lends what was signed for this caller; it goes with the caller.
    func withIdentities<Value: Sendable>(
        _ body: (inout sending [SignedIdentity]) throws(ProviderFault) -> sending Value
    ) throws(ProviderFault) -> Value {
        switch self {
        case .session(let session): try session.identities.withLock(body)
        case .machine(let machine): try machine.identities.withLock(body)
        }
    }
}
