public import GatehouseKit
import Synchronization
public import Wire

/// Answers "may this request pass?", by the rules in force.
///
/// Pure over a session that is in memory: no hop, no `await`, no lock held across a call.
public final class AccessCheck: Sendable {
    private let current: Mutex<AccessRules>
    let policy: SessionPolicy

    public init(rules: AccessRules, policy: SessionPolicy) {
        current = Mutex(rules)
        self.policy = policy
    }

    /// The rules in force; whoever asks twice may get others.
    public var rules: AccessRules { current.withLock { $0 } }

    /// Puts other rules in force, whole; what was asked before is still judged by those of then.
    public func replaceRules(with rules: AccessRules) { current.withLock { $0 = rules } }

    /// Asks about a request.
    ///
    /// - Parameter address: Where it comes from; called only if a rule turns on that.
    public func question(_ request: OriginalRequest, from address: () -> IPAddress? = { nil }) -> AccessQuestion {
        let rules = rules
        let located = rules.needAddress ? request.coming(from: address()) : request
        return AccessQuestion(request: located, decision: rules.decision(for: located))
    }

    /// - Parameter session: The session that the request's token carries; `nil` for none or an unknown one.
    public func verdict(on question: AccessQuestion, session: CachedSession?, now: Timestamp) -> Verdict {
        switch question.decision {
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

/// A request and what one set of rules makes of it, looked up once for all that follows.
public struct AccessQuestion: Sendable {
    public let request: OriginalRequest
    let decision: AccessRule.Decision
}
