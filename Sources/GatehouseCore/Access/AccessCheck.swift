public import GatehouseKit

/// Answers "may this request pass?".
///
/// Pure over a session that is in memory: no hop, no `await`, no lock held across a call.
public struct AccessCheck: Sendable {
    public let rules: AccessRules
    let policy: SessionPolicy

    public init(rules: AccessRules, policy: SessionPolicy) {
        self.rules = rules
        self.policy = policy
    }

    /// - Parameter session: The session that the request's token carries; `nil` for none or an unknown one.
    public func verdict(
        on request: OriginalRequest,
        session: CachedSession?,
        now: Timestamp
    ) -> Verdict {
        switch rules.decision(for: request) {
        case .nobody: return .forbid
        case .anyone: return .allow
        case .require(let requirement):
            guard let session else { return .signIn }
            return policy.evaluate(
                session.session,
                groups: session.account.groups,
                requirement: requirement,
                lastSeen: session.lastSeen,
                now: now
            )
        }
    }

    /// Whether a session says who the visitor is, on a path that is open to anyone.
    public func identifies(_ session: CachedSession, now: Timestamp) -> Bool {
        session.session.scope == .full && policy.isAlive(session.session, lastSeen: session.lastSeen, now: now)
    }
}
