import Crypto
public import GatehouseKit

/// Begins ceremonies, and claims them for an attempt.
public struct CeremonyService: Sendable {
    public struct Limits: Equatable, Sendable {
        public let lifetime: Timestamp.Span
        /// For a passkey that waits in the autofill of a form.
        public let autofillLifetime: Timestamp.Span
        public let attempts: Int64

        public init(
            lifetime: Timestamp.Span = .minutes(5),
            autofillLifetime: Timestamp.Span = .minutes(30),
            attempts: Int64 = 5
        ) {
            self.lifetime = lifetime
            self.autofillLifetime = autofillLifetime
            self.attempts = attempts
        }
    }

    private let limits: Limits

    public init(limits: Limits = Limits()) { self.limits = limits }

    func expiry(of mediation: Mediation, begunAt now: Timestamp) -> Timestamp {
        now + (mediation == .autofill ? limits.autofillLifetime : limits.lifetime)
    }

    static func challenge() -> Challenge { Challenge(bytes: Random.bytes(Challenge.byteCount)) }

    /// Loads a ceremony that `isMeant` accepts and takes one of its attempts.
    ///
    /// Everything that can be wrong is told apart, because the client does something else for each.
    func reserveAttempt(
        _ id: CeremonyID,
        at now: Timestamp,
        in writer: any StorageWriter,
        isMeant: (StoredCeremony) throws -> Void
    ) throws -> StoredCeremony {
        guard let ceremony = try writer.ceremony(id) else {
            throw Refusal(.ceremonyUnknown, "no such ceremony")
        }
        try isMeant(ceremony)
        guard !ceremony.isConsumed else { throw Refusal(.ceremonyConsumed, "the ceremony was used") }
        guard now < ceremony.expiresAt else { throw Refusal(.ceremonyExpired, "the ceremony is past its time") }
        guard try writer.reserveAttempt(id, limit: limits.attempts, at: now) else {
            throw Refusal(.ceremonyExhausted, "the ceremony has no attempt left")
        }
        return ceremony
    }
}
