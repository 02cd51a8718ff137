public import GatehouseKit

/// The answer to "may this request pass?".
///
/// A value, never an error: no `catch` can turn it into a yes.
public enum Verdict: Equatable, Sendable {
    case allow
    /// No session, or one past its end: signing in would help.
    case signIn
    /// Signed in, but too weakly or too long ago: proving more would help.
    case stepUp(StepUp)
    /// Signed in, and nothing that could be proved would help.
    case forbid
}

/// What a session would have to prove.
public struct StepUp: Equatable, Sendable {
    /// Any of these; empty for any kind.
    public let kinds: [CredentialKind]
    public let assurance: Assurance?
    public let maxAge: Timestamp.Span?

    public init(kinds: [CredentialKind] = [], assurance: Assurance? = nil, maxAge: Timestamp.Span? = nil) {
        self.kinds = kinds
        self.assurance = assurance
        self.maxAge = maxAge
    }
}

/// What a rule asks of a session.
public struct Requirement: Equatable, Sendable {
    /// Any of these must be in the evidence; empty for any kind.
    public let kinds: [CredentialKind]
    /// The account must be in any of these; empty for any account.
    public let groups: [String]
    public let assurance: Assurance
    /// Only evidence this recent counts.
    public let authenticatedWithin: Timestamp.Span?
    /// What is taken from machines in place of a session.
    public let machines: [CredentialKind]

    public init(
        kinds: [CredentialKind] = [],
        groups: [String] = [],
        assurance: Assurance = .aal1,
        authenticatedWithin: Timestamp.Span? = nil,
        machines: [CredentialKind] = []
    ) {
        self.kinds = kinds
        self.groups = groups
        self.assurance = assurance
        self.authenticatedWithin = authenticatedWithin
        self.machines = machines
    }

    var stepUp: StepUp { stepUp(to: assurance) }

    func stepUp(to assurance: Assurance) -> StepUp {
        StepUp(kinds: kinds, assurance: assurance, maxAge: authenticatedWithin)
    }
}

extension SessionPolicy {
    /// Judges a session against a rule.
    ///
    /// - Parameter lastSeen: The newest use of the session, which may be ahead of what is stored.
    public func evaluate(
        _ session: StoredSession,
        groups: [String],
        requirement: Requirement,
        lastSeen: Timestamp,
        now: Timestamp
    ) -> Verdict {
        guard session.scope == .full, isAlive(session, lastSeen: lastSeen, now: now) else { return .signIn }
        guard requirement.groups.isEmpty || requirement.groups.contains(where: groups.contains) else { return .forbid }
        // A session may be older than the policy, or than the account's place in a group.
        let least = minimum.level(for: groups)
        guard session.assurance >= least else {
            return .stepUp(requirement.stepUp(to: max(requirement.assurance, least)))
        }
        if requirement.authenticatedWithin == nil, requirement.kinds.isEmpty {
            return session.assurance >= requirement.assurance ? .allow : .stepUp(requirement.stepUp)
        }
        let counting = session.evidence.filter { piece in
            requirement.authenticatedWithin.map { now - piece.at <= $0 } ?? true
        }
        let kindIsProved = requirement.kinds.isEmpty || counting.contains { requirement.kinds.contains($0.kind) }
        guard !counting.isEmpty, kindIsProved, Self.assurance(of: counting) >= requirement.assurance else {
            return .stepUp(requirement.stepUp)
        }
        return .allow
    }

    /// Whether a session is within its absolute and its idle limit.
    public func isAlive(_ session: StoredSession, lastSeen: Timestamp, now: Timestamp) -> Bool {
        now < session.expiresAt && now < lastSeen + session.idleLimit
    }
}
