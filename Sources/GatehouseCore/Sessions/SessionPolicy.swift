public import GatehouseKit

/// Decides what evidence is worth, and what a session may reach.
///
/// Pure: the time is an argument, and nothing is read or written.
public struct SessionPolicy: Sendable {
    /// How long after proving itself a session may change credentials.
    public let fresh: Timestamp.Span
    /// How long a passkey that was enrolled on a password alone waits before it raises the bar for changing credentials.
    public let settling: Timestamp.Span
    public let lifetimes: SessionLifetimes
    /// What a sign-in needs to open a session; with less, a second factor is asked for.
    public let minimum: MinimumAssurance
    /// How many sessions an account may have at a time; the one that was unused for longest gives way.
    ///
    /// `nil` for any number.
    public let sessionLimit: Int?

    public init(
        fresh: Timestamp.Span = .minutes(10),
        settling: Timestamp.Span = .hours(24),
        lifetimes: SessionLifetimes = SessionLifetimes(),
        minimum: MinimumAssurance = MinimumAssurance(),
        sessionLimit: Int? = nil
    ) {
        self.fresh = fresh
        self.settling = settling
        self.lifetimes = lifetimes
        self.minimum = minimum
        self.sessionLimit = sessionLimit
    }

    /// NIST SP 800-63B-4 §2: what the evidence amounts to, taken together.
    static func assurance(of evidence: [SessionEvidence]) -> Assurance {
        let proofs = evidence.map(\.proof)
        if proofs.contains(where: { $0.userVerified && $0.deviceBound && $0.attested && $0.phishingResistant }) {
            return .aal3
        }
        return assurance(of: proofs.reduce(into: Proof.Factors()) { $0.formUnion($1.factors) })
    }

    static func assurance(of factors: Proof.Factors) -> Assurance {
        factors.contains(.possession) && !factors.isDisjoint(with: [.knowledge, .inherence]) ? .aal2 : .aal1
    }
}
