import Crypto
public import GatehouseKit

/// What a ceremony is made of; each has its own ID and challenge.
///
/// A ceremony itself can't be copied, so tests keep this and make as many of one and the same as they need.
public struct CeremonyDraft: Sendable {
    public var id = CeremonyID.random()
    public var challenge = Challenge(bytes: Random.bytes(Challenge.byteCount))
    public var identifier: Identifier?
    public var account: AccountReference?
    public var client = ClientKind.browser
    public var mediation = Mediation.modal
    public var deviceID: String?
    public var begunAt = Timestamp(milliseconds: 1_800_000_000_000)
    public var memo: [UInt8] = []

    public init(_ change: (inout CeremonyDraft) -> Void = { _ in }) { change(&self) }

    /// One that was begun with a name.
    public static func named(_ name: String) -> CeremonyDraft { CeremonyDraft { $0.identifier = .claimed(name) } }

    /// One that was begun in a session of this account, to enrol a credential or to step up.
    public static func of(_ account: AccountReference) -> CeremonyDraft { CeremonyDraft { $0.account = account } }

    public var ceremony: Ceremony {
        Ceremony(
            id: id,
            challenge: challenge,
            identifier: identifier,
            account: account?.id,
            client: client,
            mediation: mediation,
            deviceID: deviceID,
            begunAt: begunAt,
            expiresAt: begunAt + .minutes(5),
            memo: memo
        )
    }

    public var visitor: Visitor { Visitor(identifier: identifier, steppingUp: account) }

    public func keeping(memo: [UInt8]) -> CeremonyDraft {
        var draft = self
        draft.memo = memo
        return draft
    }
}
